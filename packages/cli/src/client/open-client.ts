import { type ClientOptions, connectOver, type Link, RemoteError, type TestClient } from "proffer/testing";
import type { Interruption } from "./interruption.ts";
import { NO_RESPONSE } from "./link.ts";

/** The revisions that start with `initialize`, newest first. */
const HANDSHAKE_REVISIONS: readonly string[] = ["2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05"];
/** The revisions whose requests describe themselves, newest first. */
export const STATELESS_REVISIONS: readonly string[] = ["2026-07-28"];
/** All revisions, newest first. A test compares them with those of the run-time. */
export const REVISIONS: readonly string[] = [...STATELESS_REVISIONS, ...HANDSHAKE_REVISIONS];

/**
 * In milliseconds. A server that does not support the newest revision may not respond at all, so the first attempt is
 * short. The last attempt waits longer, because a server may be slow to start on a busy machine.
 */
const FIRST_TIMEOUT = 10_000;
const LAST_TIMEOUT = 120_000;

/**
 * Connects on the revision of the options, or else on the newest one that the server supports. Each attempt has a link of
 * its own.
 * @param seconds - the time limit of the command, which ends by an interruption; 0 means none.
 * @throws {RemoteError} also if the server does not respond.
 */
export async function openClient(
  linkTo: () => Link,
  options: ClientOptions,
  interruption: Interruption,
  seconds = 0,
): Promise<TestClient> {
  // Half of a short time is left for the second attempt.
  const first = seconds === 0 ? FIRST_TIMEOUT : Math.min(FIRST_TIMEOUT, seconds * 500);
  if (options.revision !== undefined) return openWithin(LAST_TIMEOUT, linkTo(), options, interruption);
  try {
    return await openWithin(first, linkTo(), options, interruption);
  } catch (error) {
    if (!(error instanceof RemoteError)) throw error;
    // The time may have ended while the first attempt was closed.
    interruption.signal.throwIfAborted();
    // Every older server supports the newest revision that starts with `initialize`.
    const [revision = ""] = HANDSHAKE_REVISIONS;
    return openWithin(LAST_TIMEOUT, linkTo(), { ...options, revision }, interruption);
  }
}

/** Connects within the time limit. @throws {RemoteError} also if the server does not respond. */
async function openWithin(
  timeout: number,
  link: Link,
  options: ClientOptions,
  interruption: Interruption,
): Promise<TestClient> {
  let close: (() => void | Promise<void>) | undefined;
  const observed: Link = (receive) => {
    const opened = link(receive);
    close = opened.close;
    return opened;
  };
  let timer: NodeJS.Timeout | undefined;
  const message = `The server did not respond within ${timeout / 1000} s.`;
  const silent = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new RemoteError({ code: NO_RESPONSE, message })), timeout);
  });
  try {
    return await Promise.race([connectOver(observed, options), silent, interruption.happened]);
  } catch (error) {
    await interruption.settle(close?.());
    throw error;
  } finally {
    clearTimeout(timer);
  }
}
