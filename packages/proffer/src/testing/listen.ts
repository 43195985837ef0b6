import type { TestClient } from "./client.ts";

/** The changes to subscribe to. Before 2026-07-28, all clients are notified of changes to lists. */
export interface ListenOptions {
  readonly lists?: readonly ("tools" | "prompts" | "resources")[];
  /** The resources whose updates to receive. */
  readonly uris?: readonly string[];
  /** The ids of the tasks whose states to receive, in revisions that have tasks. */
  readonly taskIds?: readonly string[];
  /** Is called if the subscription ends before it is closed, in revisions that have subscriptions. */
  readonly onEnd?: () => void;
}

/** Opens a subscription and returns the function that closes it. */
export async function listenTo(
  client: TestClient,
  { lists = [], uris = [], taskIds = [], onEnd }: ListenOptions,
): Promise<() => Promise<void>> {
  const stop = new AbortController();
  const notifications = {
    ...Object.fromEntries(lists.map((kind) => [`${kind}ListChanged`, true])),
    ...(uris.length === 0 ? {} : { resourceSubscriptions: uris }),
    ...(taskIds.length === 0 ? {} : { taskIds }),
  };
  const ended = client.requestOnce("subscriptions/listen", { notifications }, { signal: stop.signal });
  let open = true;
  let isConfirmed = false;
  // After a rejection, waitFor() must not claim the acknowledgement of another subscription.
  ended.then(onEnd, () => {
    open = false;
    if (isConfirmed && !stop.signal.aborted) onEnd?.();
  });
  await Promise.race([client.waitFor("notifications/subscriptions/acknowledged", () => open), ended]);
  isConfirmed = true;
  return async () => stop.abort();
}
