import { readChunks, readText } from "../outgoing/read.ts";
import { concat } from "../support/bytes.ts";
import { ConnectionError } from "./errors.ts";
import {
  DEFAULT_MAX_BYTES,
  type Headers,
  type LinkOptions,
  pause,
  readLines,
  type SeenHead,
  tooLarge,
} from "./link.ts";

/** Milliseconds before a stream is opened again, unless the server sets another time within these bounds. */
const RETRY = 1000;
const MIN_RETRY = 100;
const MAX_RETRY = 10_000;
/** The times that a stream is opened again without an event in between. */
const MAX_RETRIES = 5;
/** The bytes and the milliseconds in which a response without a message may say why. */
const MAX_REASON = 4096;
const REASON_TIMEOUT = 1000;
/** Responses to messages that need none. */
const ACCEPTED = new Set([202, 204]);

interface StreamsOptions extends Pick<LinkOptions, "maxBytes" | "meter"> {
  /** Sends a GET request, with more headers. */
  open(headers: Headers): Promise<Response>;
  receive(text: string, head: SeenHead): void;
  /** Receives the beginning of the body of a response without a message. */
  refused(text: string, head: SeenHead): void;
  /** Is called when a stream broke off, before it is opened again. */
  interrupted(): void;
  readonly signal: AbortSignal;
}

/** Where a stream broke off. */
interface Position {
  id: string | undefined;
  retry: number;
}

/** A connection over the transport of 2024-11-05. */
export type SsePair = NonNullable<Awaited<ReturnType<ReturnType<typeof createHttpStreams>["openPair"]>>>;

/** Creates the reader of the bodies of responses: JSON, or event streams, which are opened again where they broke off. */
export function createHttpStreams(options: StreamsOptions) {
  const { maxBytes = DEFAULT_MAX_BYTES, meter, open, receive, refused, interrupted, signal } = options;

  function chunksOf(body: ReadableStream<Uint8Array>): AsyncIterable<Uint8Array> {
    const chunks = readChunks(body);
    return meter === undefined ? chunks : meter(chunks);
  }

  /** Reads the messages of a response. A stream that ends too early is resumed, if the server has numbered its events. */
  async function read(response: Response, isDone: () => boolean, canResume: boolean): Promise<void> {
    const type = response.headers.get("content-type") ?? "";
    if (type.startsWith("application/json") && response.body) {
      receive(await readText(chunksOf(response.body), maxBytes, tooLarge), headOf(response));
      return;
    }
    if (!isEventStream(response)) return refuse(response);
    const position: Position = { id: undefined, retry: RETRY };
    const isAwaited = !isDone();
    let isOver = false;
    try {
      for await (const _ of events(response, { position })) {
        // A server that goes on after its response is not read on.
        if (isOver) break;
        isOver = isAwaited && isDone();
      }
    } catch (error) {
      if (!canResume || position.id === undefined) throw error;
    }
    if (canResume && position.id !== undefined && !isDone()) await follow(position, isDone);
  }

  /** Receives the messages that the server sends outside of responses, if it has a stream for that. Never rejects. */
  async function listen(): Promise<void> {
    await follow({ id: undefined, retry: 0 }, () => signal.aborted).catch(() => {
      if (!signal.aborted) interrupted();
    });
  }

  /** Reports a response without a message, with the beginning of its body. */
  async function refuse(response: Response): Promise<void> {
    const { body, status } = response;
    if (ACCEPTED.has(status)) return void (await body?.cancel());
    refused(body === null ? "" : await readStart(body), headOf(response));
  }

  /** The events of a stream, after their messages were received. */
  async function* events(
    response: Response,
    { position, method }: { readonly position?: Position; readonly method?: "GET" },
  ): AsyncIterable<ServerEvent> {
    if (response.body === null) return;
    const head = { ...(method && { method }), ...headOf(response) };
    for await (const event of readEvents(chunksOf(response.body), maxBytes)) {
      if (position !== undefined) {
        position.id = event.id;
        position.retry = Math.min(Math.max(event.retry ?? position.retry, MIN_RETRY), MAX_RETRY);
      }
      // An event without data only says where to resume: specification 2025-11-25, transports.
      if (event.type === "message" && event.data !== "") {
        receive(event.data, { ...head, ...(event.id !== undefined && { eventId: event.id }) });
      }
      yield event;
    }
  }

  /** Opens a stream again and again until there is nothing to wait for, or the server has no such stream. */
  async function follow(position: Position, isDone: () => boolean): Promise<void> {
    for (let failures = 0; failures < MAX_RETRIES && !isDone(); failures++) {
      if (position.retry > 0) await pause(position.retry, signal);
      const response = await open(position.id === undefined ? {} : { "last-event-id": position.id });
      if (!isEventStream(response)) return void (await response.body?.cancel());
      position.retry ||= RETRY;
      try {
        for await (const _ of events(response, { position, method: "GET" })) failures = 0;
      } catch (error) {
        // A broken connection is one of the reasons to open it again; an exceeded limit is not.
        if (!(error instanceof TypeError) || signal.aborted) throw error;
        interrupted();
      }
    }
  }

  /**
   * Opens the transport of 2024-11-05 with the response to a GET request: one stream for all messages of the server, and
   * an address for those of the client. Undefined if the response is not such a stream.
   * @throws {ConnectionError} if the address of messages is on another origin, or does not come.
   */
  async function openPair(url: string, response: Response | undefined) {
    if (response === undefined || !isEventStream(response)) {
      await response?.body?.cancel();
      return undefined;
    }
    const name = nameOfUrl(url);
    let found: (endpoint: string) => void = () => {};
    const named = new Promise<string>((resolve) => {
      found = resolve;
    });
    const readPair = async () => {
      for await (const { type, data } of events(response, { method: "GET" })) if (type === "endpoint") found(data);
      return `The event stream of ${name} ended.`;
    };
    const ended = readPair().catch((error: Error) => error.message);
    const late = pause(ENDPOINT_TIMEOUT, signal).catch(() => undefined);
    const endpoint = await Promise.race([named, ended.then(() => undefined), late]);
    if (endpoint === undefined) {
      throw new ConnectionError("malformed", `${name} has an event stream, but names no address for messages.`);
    }
    return {
      endpoint: resolveEndpoint(url, endpoint),
      /** Resolves with the reason when the stream has ended. */
      ended,
      /** Handles the response to a message, which has no content. */
      async accepted(reply: Response, fail: (error: ConnectionError) => void): Promise<void> {
        if (reply.ok) return void (await reply.body?.cancel());
        await refuse(reply);
        fail(statusError(name, reply));
      },
    };
  }

  return { read, listen, refuse, openPair };
}

function isEventStream(response: Response): boolean {
  return response.ok && (response.headers.get("content-type") ?? "").startsWith("text/event-stream");
}

function headOf({ status, headers }: Response): SeenHead {
  return { status, responseHeaders: Object.fromEntries(headers) };
}

/** Explains a response without a message. */
export function statusError(name: string, { status, statusText, headers }: Response): ConnectionError {
  const challenge = headers.get("www-authenticate");
  return new ConnectionError("status", `${name} responded with status ${status} ${statusText}.`, { status, challenge });
}

/** Returns a URL for messages, without credentials, query and fragment. */
export function nameOfUrl(url: string): string {
  const { protocol, host, pathname } = new URL(url);
  return `${protocol}//${host}${pathname}`;
}

/** Reads the beginning of a body and drops the rest. */
async function readStart(body: ReadableStream<Uint8Array>): Promise<string> {
  const reader = body.getReader();
  const drop = () => reader.cancel().catch(() => undefined);
  const timer = setTimeout(drop, REASON_TIMEOUT);
  const parts: Uint8Array[] = [];
  for (let size = 0; size < MAX_REASON; ) {
    const { value } = await reader.read().catch(() => ({ value: undefined }));
    if (value === undefined) break;
    parts.push(value);
    size += value.length;
  }
  clearTimeout(timer);
  await drop();
  return new TextDecoder().decode(concat(parts).subarray(0, MAX_REASON));
}

/** An event of a server-sent event stream. */
export interface ServerEvent {
  /** The value of the `event` field, or "message". */
  readonly type: string;
  readonly data: string;
  /** The value of the last `id` field of the stream so far. */
  readonly id: string | undefined;
  /** The reconnection time in milliseconds, if this event sets it. */
  readonly retry: number | undefined;
}

/**
 * Parses a stream of server-sent events as the HTML standard defines it, section 9.2.6. Comments and unknown fields are
 * ignored. An event without a `data` field is not dispatched, and neither is one that the end of the stream cuts off.
 */
export async function* readEvents(body: AsyncIterable<Uint8Array>, most?: number): AsyncGenerator<ServerEvent> {
  let id: string | undefined;
  let retry: number | undefined;
  let type = "";
  let data: string[] = [];
  let size = 0;
  for await (const line of readLines(body, "event", most)) {
    if (line === "") {
      if (data.length > 0) yield { type: type || "message", data: data.join("\n"), id, retry };
      retry = undefined;
      type = "";
      data = [];
      size = 0;
      continue;
    }
    const [, field = "", value = ""] = /^([^:]*)(?:: ?(.*))?$/s.exec(line) ?? [];
    if (field === "data") {
      size += line.length + 1;
      if (most !== undefined && size > most) throw tooLarge(most);
      data.push(value);
    }
    if (field === "event") type = value;
    else if (field === "id" && !value.includes("\0")) id = value;
    else if (field === "retry" && /^\d+$/.test(value)) retry = Number(value);
  }
}

/** Milliseconds in which the server must name the address of messages. */
const ENDPOINT_TIMEOUT = 30_000;

/** Messages contain arguments and headers that are meant for this server only. */
function resolveEndpoint(url: string, endpoint: string): string {
  const name = nameOfUrl(url);
  if (!URL.canParse(endpoint, url))
    throw new ConnectionError("malformed", `${name} names an invalid address for messages.`);
  const to = new URL(endpoint, url);
  if (to.origin === new URL(url).origin) return to.href;
  const other = nameOfUrl(to.href);
  throw new ConnectionError(
    "malformed",
    `${name} names ${other} as the address for messages, which is another origin.`,
  );
}
