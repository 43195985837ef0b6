import type { VNode } from "preact";
import type { ModelView } from "../../protocol/api.ts";
import { JsonTree } from "../result/json-tree.tsx";
import { visible } from "../text/visible.ts";

/** An item as a client gives it to its model, and what is lost on the way. */
export function Declaration({ view, label }: { readonly view: ModelView; readonly label: string }): VNode {
  return (
    <>
      {view.tokens !== undefined && <p class="quiet">≈ {view.tokens} tokens</p>}
      {view.losses.length > 0 && (
        <ul aria-label="Losses">
          {view.losses.map((loss) => (
            <li key={loss} class="problem">
              {visible(loss)}
            </li>
          ))}
        </ul>
      )}
      {view.declaration === undefined ? (
        <p>The model does not see this tool.</p>
      ) : (
        <JsonTree value={view.declaration} label={label} />
      )}
    </>
  );
}
