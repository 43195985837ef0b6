import type { VNode } from "preact";
import { useApp } from "../state/app.ts";

/** Copies a text. */
export function CopyButton({ text, label }: { readonly text: string; readonly label: string }): VNode {
  const { announce, report } = useApp();
  return (
    <button
      type="button"
      class="plain"
      onClick={() => navigator.clipboard.writeText(text).then(() => announce("Copied"), report)}
    >
      {label}
    </button>
  );
}
