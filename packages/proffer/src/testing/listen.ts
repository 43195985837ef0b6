import type { TestClient } from "./client.ts";

/** What a client wants to hear of. Before 2026-07-28 changes of lists are told to everyone. */
export interface ListenOptions {
  readonly lists?: readonly ("tools" | "prompts" | "resources")[];
  /** Resources whose updates to hear of. */
  readonly uris?: readonly string[];
}

/** Opens a subscription that stays open until the function that it gives is called. */
export async function listenTo(
  client: TestClient,
  { lists = [], uris = [] }: ListenOptions,
): Promise<() => Promise<void>> {
  const stop = new AbortController();
  const notifications = {
    ...Object.fromEntries(lists.map((kind) => [`${kind}ListChanged`, true])),
    ...(uris.length === 0 ? {} : { resourceSubscriptions: uris }),
  };
  const ended = client.requestOnce("subscriptions/listen", { notifications }, { signal: stop.signal });
  let open = true;
  // Whoever stops it knows that it ended; who was refused must not take what acknowledges another.
  ended.catch(() => {
    open = false;
  });
  await Promise.race([client.waitFor("notifications/subscriptions/acknowledged", () => open), ended]);
  return async () => stop.abort();
}
