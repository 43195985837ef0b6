import { CommandError } from "../terminal/command-error.ts";
import { nameOfUrl } from "./arguments.ts";
import { type HttpStreams, isEventStream } from "./http-streams.ts";

/** Milliseconds in which the server must name the address of messages. */
const ENDPOINT_TIMEOUT = 30_000;

/** The transport of 2024-11-05: one stream for all messages of the server, and an address for those of the client. */
export interface SsePair {
  readonly endpoint: string;
  /** Resolves with the reason when the stream has ended. */
  readonly ended: Promise<string>;
  /** Handles the response to a message, which has no content. */
  accepted(response: Response, fail: (reason: string) => void): Promise<void>;
}

/**
 * Opens the pair with the response to a GET request; undefined if it is not such a stream.
 * @throws {CommandError} if the address of messages is on another origin, or does not come.
 */
export async function openSsePair(
  url: string,
  response: Response | undefined,
  streams: HttpStreams,
  signal: AbortSignal,
): Promise<SsePair | undefined> {
  if (response === undefined || !isEventStream(response)) {
    await response?.body?.cancel();
    return undefined;
  }
  const name = nameOfUrl(url);
  let found: (endpoint: string) => void = () => {};
  const named = new Promise<string>((resolve) => {
    found = resolve;
  });
  const ended = follow().catch((error: Error) => error.message);
  const endpoint = await Promise.race([named, ended.then(() => undefined), timeout(signal)]);
  if (endpoint === undefined) throw new CommandError(`${name} has an event stream, but names no address for messages.`);
  return {
    endpoint: resolveEndpoint(url, endpoint),
    ended,
    async accepted(response, fail) {
      if (response.ok) return void (await response.body?.cancel());
      await streams.refuse(response);
      fail(`${name} responded with status ${response.status} ${response.statusText}.`);
    },
  };

  async function follow(): Promise<string> {
    for await (const { type, data } of streams.events(response as Response, { method: "GET" }))
      if (type === "endpoint") found(data);
    return `The event stream of ${name} ended.`;
  }
}

function timeout(signal: AbortSignal): Promise<undefined> {
  return new Promise((resolve) => {
    setTimeout(() => resolve(undefined), ENDPOINT_TIMEOUT).unref();
    signal.addEventListener("abort", () => resolve(undefined), { once: true });
  });
}

/** Messages contain arguments and headers that are meant for this server only. */
function resolveEndpoint(url: string, endpoint: string): string {
  const name = nameOfUrl(url);
  if (!URL.canParse(endpoint, url)) throw new CommandError(`${name} names an invalid address for messages.`);
  const to = new URL(endpoint, url);
  if (to.origin === new URL(url).origin) return to.href;
  throw new CommandError(`${name} names ${nameOfUrl(to.href)} as the address for messages, which is another origin.`);
}
