import type { VNode } from "preact";
import { useState } from "preact/hooks";
import type { ClientView as Seen } from "../../protocol/api.ts";
import { JsonTree } from "../result/json-tree.tsx";
import { Link } from "../shell/link.tsx";
import { useApp } from "../state/app.ts";
import { itemId } from "../state/draft.ts";
import { tokenShare } from "../text/units.ts";
import { visible } from "../text/visible.ts";
import { Declaration } from "./declaration.tsx";
import { useFetched } from "./use-fetched.ts";

/** A server may list thousands. */
const MAX_SHOWN = 200;

/** What a watched client gets of the server, and what its model sees of that. */
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
        <button type="button" class="plain" onClick={() => setWhole(true)}>
          Show all {items.length}
        </button>
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
