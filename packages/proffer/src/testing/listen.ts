import type { TestClient } from "./client.ts";

/** The changes to subscribe to. Before 2026-07-28, all clients are notified of changes to lists. */
export interface ListenOptions {
  readonly lists?: readonly ("tools" | "prompts" | "resources")[];
  /** The resources whose updates to receive. */
  readonly uris?: readonly string[];
  /** The ids of the tasks whose states to receive, in revisions that have tasks. */
  readonly taskIds?: readonly string[];
}

/** Opens a subscription and returns the function that closes it. */
export async function listenTo(
  client: TestClient,
  { lists = [], uris = [], taskIds = [] }: ListenOptions,
): Promise<() => Promise<void>> {
  const stop = new AbortController();
  const notifications = {
    ...Object.fromEntries(lists.map((kind) => [`${kind}ListChanged`, true])),
    ...(uris.length === 0 ? {} : { resourceSubscriptions: uris }),
    ...(taskIds.length === 0 ? {} : { taskIds }),
  };
  const ended = client.requestOnce("subscriptions/listen", { notifications }, { signal: stop.signal });
  let open = true;
  // After a rejection, waitFor() must not claim the acknowledgement of another subscription.
  ended.catch(() => {
    open = false;
  });
  await Promise.race([client.waitFor("notifications/subscriptions/acknowledged", () => open), ended]);
  return async () => stop.abort();
}
