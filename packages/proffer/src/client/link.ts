import type { JsonObject, RequestId } from "../protocol/messages.ts";
import { ConnectionError } from "./errors.ts";

/** Headers of HTTP: names in lower case, with their values. */
export type Headers = { readonly [name: string]: string };

/** The parts of an outgoing message that a transport reads. */
export interface Outgoing {
  readonly id?: RequestId;
  readonly method?: string;
  readonly params?: JsonObject;
}

/** What a link tells the client, beside messages. */
export interface LinkEvents {
  /** Whether a request has no response yet. */
  isPending(id: RequestId): boolean;
  /** No response will come: to one request, or, without an id, to any request. */
  fail(error: ConnectionError, id?: RequestId): void;
  /** Stops the time limit of a request while a person has to act, and starts it again. */
  waiting?(id: RequestId, isWaiting: boolean): void;
}

/** A link that is open. */
export interface OpenLink {
  /** @param message - the same as the text, for a link that would have to parse it. */
  send(text: string, message?: Outgoing): void;
  close(): void | Promise<void>;
  /** Receives the revision that `initialize` has agreed on. */
  agreed?(revision: string): void;
  /** Whether the transport cannot send calls of a tool that was listed. */
  refuses?(tool: string): boolean;
  /** Cancels a request by the means of the transport. Returns whether it has any. */
  cancel?(id: RequestId): boolean;
  /** For `crash()` of a testing client: ends the process of the server, and resolves when `send` reaches another one. */
  crash?(): void | Promise<void>;
}

/**
 * Opens a connection to a server, which moves texts. A client calls it again to reconnect. Your own link may ignore the
 * events.
 */
export type Link = (receive: (text: string) => void, events: LinkEvents) => OpenLink;

/** The head of an HTTP message, as it was sent or received. */
export interface SeenHead {
  readonly method?: string;
  readonly status?: number;
  readonly requestHeaders?: Headers;
  readonly responseHeaders?: Headers;
  readonly eventId?: string;
}

/** Sees the texts that a link sends and receives, exactly and before they are checked. */
export interface LinkObserver {
  sent?(text: string, head?: SeenHead): void;
  received?(text: string, head?: SeenHead): void;
  /** The other side has ended: no message will come. */
  ended?(reason: string): void;
  /** A stream broke off that would have had messages: the server may be gone. */
  interrupted?(): void;
  /** The server has the older transport: HTTP with SSE. */
  fellBack?(): void;
}

/** Options of every link. */
export interface LinkOptions {
  /** The most bytes of one message of the server. Default: 64 MiB. */
  readonly maxBytes?: number | undefined;
  /** Sees all bytes of the server, and throws to end the connection. */
  readonly meter?: ((chunks: AsyncIterable<Uint8Array>) => AsyncIterable<Uint8Array>) | undefined;
  readonly observer?: LinkObserver | undefined;
}

export const DEFAULT_MAX_BYTES: number = 64 * 1024 * 1024;

/** Reads an outgoing message. A text that is none is sent all the same: the server must refuse it. */
export function parseOutgoing(text: string): Outgoing {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null ? value : {};
  } catch {
    return {};
  }
}

/** The id of a message, if it is a request. */
export function requestIdOf({ id, method }: Outgoing): RequestId | undefined {
  return typeof method === "string" && (typeof id === "string" || typeof id === "number") ? id : undefined;
}

/** Resolves after some milliseconds. Does not keep a process alive. @throws the reason of the signal if it aborts. */
export function pause(milliseconds: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal?.aborted) return reject(signal.reason);
    const abort = () => {
      clearTimeout(timer);
      reject(signal?.reason);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener("abort", abort);
      resolve();
    }, milliseconds);
    (timer as { unref?: () => void }).unref?.();
    signal?.addEventListener("abort", abort, { once: true });
  });
}

/** The ends of a line: of an event stream, HTML standard, section 9.2.6, and of messages over stdio. */
const ENDS = { event: /\r\n|\n|\r/, message: "\n" } as const;

/**
 * Decodes a stream and yields its lines, without their ends. A line that the end of the stream cuts off is dropped. Only
 * text that has just arrived is searched for line ends, so a long line takes linear time.
 * @throws {ConnectionError} for a line of more bytes than `most`.
 */
export async function* readLines(
  chunks: AsyncIterable<Uint8Array>,
  kind: keyof typeof ENDS,
  most: number = DEFAULT_MAX_BYTES,
): AsyncGenerator<string> {
  const decoder = new TextDecoder();
  let rest = "";
  let endsInReturn = false;
  let bytes = 0;
  for await (const chunk of chunks) {
    bytes += chunk.length;
    let text = decoder.decode(chunk, { stream: true });
    if (text === "") continue;
    // A CR ends its line at once, even if the chunk ends between CR and LF.
    if (kind === "event" && endsInReturn && text.startsWith("\n")) text = text.slice(1);
    endsInReturn = text.endsWith("\r");
    const lines = text.split(ENDS[kind]);
    lines[0] = rest + lines[0];
    rest = lines.pop() ?? "";
    if (lines.length > 0) bytes = 0;
    else if (bytes > most) throw tooLarge(most);
    yield* lines;
  }
}

/** Why a connection ends: the answers to a flood of requests would fill the memory. */
export const TAKES_NOTHING = "sends requests, but does not take the answers.";

export function tooLarge(most: number): ConnectionError {
  return new ConnectionError("malformed", `The server sent a message of more than ${most} bytes.`);
}

/** `JSON.stringify` and other recursive functions handle this many levels. */
const MAX_DEPTH = 512;
/** A message within the limit in bytes could still create more objects than fit in memory. */
const MAX_ITEMS = 2_000_000;

const QUOTE = 34;
const BACKSLASH = 92;
const COMMA = 44;

/** Returns the problem with the size of a JSON text, before it is parsed. */
export function findOversize(text: string): string | undefined {
  if (text.length <= MAX_DEPTH) return undefined;
  let depth = 0;
  let items = 0;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === QUOTE) {
      at = endOfString(text, at);
    } else if (code === COMMA) {
      if (++items > MAX_ITEMS) return `has more than ${MAX_ITEMS} items`;
      // The brackets are 0x5b, 0x5d, 0x7b and 0x7d.
    } else if ((code | 0x20) === 0x7b) {
      items++;
      if (++depth > MAX_DEPTH) return `has more than ${MAX_DEPTH} levels`;
    } else if ((code | 0x20) === 0x7d) depth--;
  }
  return undefined;
}

/** Returns the index of the closing quote, or the length of the text. */
function endOfString(text: string, start: number): number {
  for (let end = text.indexOf('"', start + 1); end !== -1; end = text.indexOf('"', end + 1)) {
    let slashes = 0;
    while (text.charCodeAt(end - 1 - slashes) === BACKSLASH) slashes++;
    if (slashes % 2 === 0) return end;
  }
  return text.length;
}
