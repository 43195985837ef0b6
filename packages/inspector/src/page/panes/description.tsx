import type { VNode } from "preact";
import { useState } from "preact/hooks";
import type { ModelView, ClientView as Seen } from "../../protocol/api.ts";
import type { Item, Json } from "../../protocol/data.ts";
import { Button, CopyButton, Link, Select, TableHead } from "../parts/elements.tsx";
import { JsonTree } from "../result/json-tree.tsx";
import { useApp, useFetched } from "../state/app.ts";
import { itemId } from "../state/calls.ts";
import { tokenShare, visible } from "../text/format.ts";

const SECTIONS: readonly (readonly [name: string, title: string])[] = [
  ["inputSchema", "Input schema"],
  ["outputSchema", "Output schema"],
  ["annotations", "Annotations"],
];

/** The description of an item as the server sent it. */
export function SchemaTab({ item }: { readonly item: Item }): VNode {
  const { description } = item;
  const sections = SECTIONS.filter(([name]) => description[name] !== undefined);
  const known = new Set(sections.map(([name]) => name));
  const rest = Object.fromEntries(Object.entries(description).filter(([name]) => !known.has(name)));
  return (
    <>
      {item.kind === "tool" && <Cost tool={item.key} />}
      {sections.map(([name, title]) => (
        <section key={name} aria-label={title}>
          <h3>{title}</h3>
          <JsonTree value={description[name] as Json} label={title} />
        </section>
      ))}
      <section aria-label="Description">
        <h3>{sections.length > 0 ? "The rest" : "Description"}</h3>
        <JsonTree value={rest} label="Description" />
      </section>
      <CopyButton text={JSON.stringify(description, null, 2)} label="Copy" />
    </>
  );
}

const PARTS = { description: "description", parameter: "", definition: "$defs/", rest: "names and structure" } as const;

/** The cost of a tool for each conversation, by its parts. */
function Cost({ tool }: { readonly tool: string }): VNode | null {
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
        <TableHead columns={["part", "tokens", "descriptions", "enums"]} />
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

/** A tool as the model of a client gets it, after the cuts of the client. */
export function ModelTab({ item }: { readonly item: Item }): VNode {
  const { api, state, offer } = useApp();
  const [client, setClient] = useState(state.profiles[0] ?? "");
  const view = useFetched(() => api.post("model", { tool: item.key, client }), [api, item.key, client, offer?.version]);
  return (
    <>
      <label class="client">
        Client <Select value={client} options={state.profiles} onChoose={setClient} />
      </label>
      {view instanceof Error ? (
        <p>{visible(view.message)}</p>
      ) : (
        view && <Declaration view={view} label={`What the model of ${view.client} sees`} />
      )}
    </>
  );
}

/** An item as a client passes it to its model, and the losses on the way. */
function Declaration({ view, label }: { readonly view: ModelView; readonly label: string }): VNode {
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

/** A server may list thousands. */
const MAX_SHOWN = 200;

/** The items as a watched client gets them, and as its model sees them. */
export function ClientView({ conn }: { readonly conn: string }): VNode {
  const { api, state, offer } = useApp();
  const lane = state.lanes.find((lane) => lane.conn === conn);
  const seen = useFetched(
    () => api.post("client", { conn }),
    [api, conn, state.ready, offer?.version, lane?.name, lane?.revision],
  );
  return (
    <div class="overview">
      <h2>What {visible(lane?.name ?? "this client")} sees</h2>
      {seen instanceof Error ? <p class="problem">{visible(seen.message)}</p> : seen && <View seen={seen} />}
    </div>
  );
}

function View({ seen }: { readonly seen: Seen }): VNode {
  const [whole, setWhole] = useState(false);
  const { revision, profile, capabilities, items, tokens, problems } = seen;
  const shown = whole ? items : items.slice(0, MAX_SHOWN);
  return (
    <>
      <p>
        On {visible(revision)},{" "}
        {profile === undefined ? "without a profile: nothing is cut" : `after the cuts of ${profile}`}. Tools:{" "}
        {tokenShare(tokens)}.
      </p>
      {problems.map((problem) => (
        <p key={problem} class="problem">
          {visible(problem)}
        </p>
      ))}
      <ul aria-label="What it sees">
        {shown.map((item) => (
          <SeenItem key={itemId(item)} item={item} />
        ))}
      </ul>
      {items.length === 0 && <p>The server offers nothing to it.</p>}
      {items.length > shown.length && (
        <Button label={`Show all ${items.length}`} class="plain" onClick={() => setWhole(true)} />
      )}
      <h3>Capabilities of the client</h3>
      <JsonTree value={capabilities} label="Capabilities of the client" />
    </>
  );
}

function SeenItem({ item }: { readonly item: Seen["items"][number] }): VNode {
  const { offer } = useApp();
  const [open, setOpen] = useState(false);
  const { kind, key, declaration, losses, client } = item;
  const name = kind === "tool" ? declaration?.name : key;
  return (
    <li>
      <details onToggle={(event) => setOpen(event.currentTarget.open)}>
        <summary>
          {kind} <b>{visible(key)}</b>
          {declaration === undefined && <span class="bad"> is not seen</span>}
          {typeof name === "string" && name !== key && ` as ${visible(name)}`}
          {declaration !== undefined && losses.length > 0 && <span class="warning"> with losses</span>}
        </summary>
        {open && (
          <>
            <Declaration view={item} label={visible(`${key} for ${client}`)} />
            {offer?.items.some((own) => own.kind === kind && own.key === key) && (
              <Link to={{ pane: "item", kind, key }}>Open in the form</Link>
            )}
          </>
        )}
      </details>
    </li>
  );
}
