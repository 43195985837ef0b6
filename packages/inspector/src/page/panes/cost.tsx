import type { VNode } from "preact";
import { useApp } from "../state/app.ts";
import { tokenShare } from "../text/units.ts";
import { visible } from "../text/visible.ts";
import { useFetched } from "./use-fetched.ts";

const PARTS = { description: "description", parameter: "", definition: "$defs/", rest: "names and structure" } as const;

/** What a tool costs each conversation, by its parts. */
export function Cost({ tool }: { readonly tool: string }): VNode | null {
  const { api, revision, offer } = useApp();
  const cost = useFetched(() => api.post("cost", { revision, tool }), [api, revision, tool, offer?.version]);
  if (cost === undefined || cost instanceof Error) return null;
  const { tokens, output, parts } = cost;
  return (
    // The table may be wider than the pane: the keyboard must be able to scroll it.
    // biome-ignore lint/a11y/noNoninteractiveTabindex: see above
    <section class="table" aria-label="Token cost" tabIndex={0}>
      <h3>Token cost</h3>
      <p>{tokenShare(tokens)}</p>
      <table class="cost">
        <thead>
          <tr>
            <th scope="col">part</th>
            <th scope="col">tokens</th>
            <th scope="col">descriptions</th>
            <th scope="col">enums</th>
          </tr>
        </thead>
        <tbody>
          {parts.map(({ kind, name = "", tokens, descriptions, enums }) => (
            <tr key={`${kind} ${name}`}>
              <th scope="row">
                {PARTS[kind]}
                {visible(name)}
              </th>
              {[tokens, descriptions, enums].map((part, index) => (
                <td key={index}>{part > 0 ? `≈ ${part}` : "–"}</td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
      {output > 0 && <p class="quiet">The output schema has ≈ {output} more; few clients give it to a model.</p>}
    </section>
  );
}
