import type { Notification } from "./options.ts";
import type { Session } from "./session.ts";

/** The changes to subscribe to. Before 2026-07-28, all clients are notified of changes to lists. */
export interface ListenOptions {
  readonly lists?: readonly ("tools" | "prompts" | "resources")[];
  /** The resources whose updates to receive. */
  readonly uris?: readonly string[];
  /** The ids of the tasks whose states to receive, in revisions that have tasks. */
  readonly taskIds?: readonly string[];
  /** Is called if the subscription ends before it is closed. */
  readonly onEnd?: () => void;
}

/** Changes that wait for the loop that reads them. A server could send any number. */
const MAX_WAITING = 10_000;
/** In characters of all of them. */
const MAX_SIZE = 16 * 1024 * 1024;

/**
 * A subscription to changes. It iterates over the notifications; equal ones that nobody has read yet are one.
 *
 * @example
 * await using changes = await client.listen({ uris: ["orders://7"] });
 * for await (const { params } of changes) console.log(await client.read(params.uri));
 */
export class Subscription implements AsyncIterable<Notification> {
  readonly #accepts: (notification: Notification) => boolean;
  readonly #stop: () => Promise<void>;
  readonly #waiting = new Map<string, { readonly notification: Notification; readonly size: number }>();
  #size = 0;
  #isOver = false;
  #wake = () => {};

  constructor(accepts: (notification: Notification) => boolean, stop: () => Promise<void>) {
    this.#accepts = accepts;
    this.#stop = stop;
  }

  /** Ends the subscription; the loop ends, too. */
  async close(): Promise<void> {
    if (this.#isOver) return;
    this.end();
    await this.#stop();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Notification, void> {
    for (;;) {
      for (const [key, { notification, size }] of this.#waiting) {
        this.#waiting.delete(key);
        this.#size -= size;
        yield notification;
      }
      if (this.#isOver) return;
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
  }

  /** Takes a notification that belongs to it. @internal */
  add(notification: Notification): void {
    if (this.#isOver || !this.#accepts(notification) || this.#waiting.size >= MAX_WAITING) return;
    const { uri, taskId } = notification.params;
    const key = `${notification.method} ${uri ?? taskId ?? ""}`;
    const size = JSON.stringify(notification).length;
    const total = this.#size + size - (this.#waiting.get(key)?.size ?? 0);
    if (total > MAX_SIZE) return;
    this.#size = total;
    this.#waiting.set(key, { notification, size });
    this.#wake();
  }

  /** @internal */
  end(): void {
    this.#isOver = true;
    this.#wake();
  }
}

const SUBSCRIPTION_ID = "io.modelcontextprotocol/subscriptionId";
const ACKNOWLEDGED = "notifications/subscriptions/acknowledged";

function subscriptionIdOf({ params }: Notification): unknown {
  return (params._meta as { readonly [key: string]: unknown } | undefined)?.[SUBSCRIPTION_ID];
}

/** Opens the stream of one subscription (2026-07-28). */
export async function openStream(client: Session, options: ListenOptions): Promise<Subscription> {
  const { lists = [], uris = [], taskIds = [], onEnd } = options;
  const notifications = {
    ...Object.fromEntries(lists.map((kind) => [`${kind}ListChanged`, true])),
    ...(uris.length === 0 ? {} : { resourceSubscriptions: uris }),
    ...(taskIds.length === 0 ? {} : { taskIds }),
  };
  const stop = new AbortController();
  let confirm = () => {};
  const confirmed = new Promise<void>((resolve) => {
    confirm = resolve;
  });
  const { id, response } = client.begin("subscriptions/listen", { notifications }, { signal: stop.signal, timeout: 0 });
  const accepts = (notification: Notification) => {
    if (subscriptionIdOf(notification) !== id) return false;
    if (notification.method !== ACKNOWLEDGED) return true;
    confirm();
    return false;
  };
  const subscription = new Subscription(accepts, async () => stop.abort());
  client.subscriptions.add(subscription);
  let isConfirmed = false;
  const ended = () => {
    client.subscriptions.delete(subscription);
    subscription.end();
    if (isConfirmed && !stop.signal.aborted) onEnd?.();
  };
  response.then(ended, ended);
  await Promise.race([confirmed, response]);
  isConfirmed = true;
  return subscription;
}

/** Subscribes to resources, in revisions whose sessions carry all changes. */
export async function openOnSession(client: Session, options: ListenOptions): Promise<Subscription> {
  const { lists = [], uris = [], onEnd } = options;
  const methods = new Set(lists.map((kind) => `notifications/${kind}/list_changed`));
  const accepts = ({ method, params: { uri } }: Notification) =>
    methods.has(method) ||
    (method === "notifications/resources/updated" && uris.some((each) => isPartOf(String(uri), each)));
  const subscription = new Subscription(accepts, async () => {
    client.subscriptions.delete(subscription);
    for (const uri of uris) await client.request("resources/unsubscribe", { uri });
  });
  for (const uri of uris) await client.request("resources/subscribe", { uri });
  client.subscriptions.add(subscription);
  client.onLost(() => {
    if (!client.subscriptions.delete(subscription)) return;
    subscription.end();
    onEnd?.();
  });
  return subscription;
}

/** A server may notify of a part of the resource that was subscribed to. */
function isPartOf(updated: string, subscribed: string): boolean {
  return updated === subscribed || updated.startsWith(subscribed.endsWith("/") ? subscribed : `${subscribed}/`);
}
