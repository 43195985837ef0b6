import type { VNode } from "preact";
import type { JsonObject } from "../../protocol/json.ts";
import type { WireMessage } from "../../protocol/wire.ts";
import { useApp } from "../state/app.ts";
import { isCallMethod, itemOfCall, valueOfCall } from "../state/calls.ts";
import { type Drafts, itemId, withDraft } from "../state/draft.ts";

export interface Repeats {
  readonly onDrafts: (change: (drafts: Drafts) => Drafts) => void;
}

/** Puts the arguments of a call, also one of a watched client, into the form: to change them, and to call as the page. */
export function RepeatButton({ message, onDrafts }: { readonly message: WireMessage } & Repeats): VNode | null {
  const { go } = useApp();
  const { kind, dir, method } = message;
  if (kind !== "request" || dir !== "out" || !isCallMethod(method)) return null;
  const params = paramsOf(message.text);
  if (params === undefined) return null;
  const open = () => {
    const item = itemOfCall({ method, params });
    onDrafts((drafts) => withDraft(drafts, itemId(item), { value: valueOfCall({ params }) }));
    go({ pane: "item", ...item });
  };
  return (
    <p>
      <button type="button" onClick={open}>
        Open in the form
      </button>
    </p>
  );
}

function paramsOf(text: string): JsonObject | undefined {
  try {
    const { params } = JSON.parse(text);
    return typeof params === "object" && params !== null ? params : undefined;
  } catch {
    return undefined;
  }
}
