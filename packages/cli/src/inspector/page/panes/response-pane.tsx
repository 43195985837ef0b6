import type { VNode } from "preact";
import type { ResponsePaneProps } from "../state/pane-props.ts";

/** Shows what came back. */
export function ResponsePane({ call }: ResponsePaneProps): VNode {
  if (call === undefined) return <p>Nothing was called yet.</p>;
  return (
    <section aria-label="Result">
      <p>{call.status}</p>
      <pre>{JSON.stringify(call.result ?? call.error ?? {}, null, 2)}</pre>
    </section>
  );
}
