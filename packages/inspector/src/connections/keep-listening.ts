import type { Connected } from "./connected.ts";

/** Milliseconds before a subscription that has ended is made again. */
const RETRY = 1000;

/**
 * Subscribes to changes of resources, and again whenever the subscription ends: servers end it before they stop, and
 * proxies after a while. Resolves with a function that unsubscribes.
 * @param renewed - is called after the subscription was made again: changes in between are unknown.
 * @throws {RemoteError} if the server refuses the first subscription.
 */
export async function keepListening(
  connected: Connected,
  uris: readonly string[],
  renewed: () => void,
): Promise<() => Promise<void>> {
  let timer: NodeJS.Timeout | undefined;
  let isOver = false;
  let stop = await listen();
  return async () => {
    isOver = true;
    clearTimeout(timer);
    await stop();
  };

  function listen(): Promise<() => Promise<void>> {
    return connected.client.listen({ uris, onEnd });
  }

  function onEnd(): void {
    timer = setTimeout(() => void renew().catch(() => {}), RETRY);
    timer.unref();
  }

  async function renew(): Promise<void> {
    if (isOver || !connected.isOpen) return;
    stop = await listen();
    if (isOver) await stop();
    else renewed();
  }
}
