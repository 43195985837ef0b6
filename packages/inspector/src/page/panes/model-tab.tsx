import type { VNode } from "preact";
import { useState } from "preact/hooks";
import type { Item } from "../../protocol/offer.ts";
import { useApp } from "../state/app.ts";
import { visible } from "../text/visible.ts";
import { Declaration } from "./declaration.tsx";
import { useFetched } from "./use-fetched.ts";

/** What the model of a client gets of a tool, after what the client cuts. */
export function ModelTab({ item }: { readonly item: Item }): VNode {
  const { api, state, offer } = useApp();
  const [client, setClient] = useState(state.profiles[0] ?? "");
  const view = useFetched(() => api.post("model", { tool: item.key, client }), [api, item.key, client, offer?.version]);
  return (
    <>
      <label class="client">
        Client{" "}
        <select value={client} onChange={(event) => setClient(event.currentTarget.value)}>
          {state.profiles.map((name) => (
            <option key={name} value={name}>
              {name}
            </option>
          ))}
        </select>
      </label>
      {view instanceof Error ? (
        <p>{visible(view.message)}</p>
      ) : (
        view && <Declaration view={view} label={`What the model of ${view.client} sees`} />
      )}
    </>
  );
}
