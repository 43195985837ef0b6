import type { VNode } from "preact";
import { isObject } from "../form/path.ts";
import { useApp } from "../state/app.ts";
import { liveKey } from "../state/inspector-state.ts";
import { count } from "../text/units.ts";

/** Subscribes to a resource. Its contents are read again after each update and shown in the other pane. */
export function Subscribe({ uri }: { readonly uri: string }): VNode | null {
  const { api, state, revision, offer, report } = useApp();
  const resources = offer?.server.capabilities.resources;
  if (!state.abilities.calls || !isObject(resources) || resources.subscribe !== true) return null;
  const live = state.live.get(liveKey(revision, uri));
  const name = live === undefined ? "subscribe" : "unsubscribe";
  return (
    <span class="subscribe">
      <button
        type="button"
        aria-pressed={live !== undefined}
        onClick={() => api.post(name, { revision, uri }).catch(report)}
      >
        {live === undefined ? "Subscribe" : "Unsubscribe"}
      </button>
      {live !== undefined && <span class="quiet"> live · {count(live.updates, "update")}</span>}
    </span>
  );
}
