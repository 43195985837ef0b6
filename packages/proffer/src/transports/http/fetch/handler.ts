import type { Principal } from "../../../calls/client.ts";
import type { Wire } from "../../../protocol/messages.ts";
import type { Server } from "../../../server/server.ts";
import { atEndOfTurn } from "../../../support/async.ts";
import { concat } from "../../../support/bytes.ts";
import { HttpEndpoint } from "../endpoint.ts";
import type { BodyReceiver, DisconnectListener, HttpExchange, RequestRecord } from "../exchange.ts";
import { Upload } from "../exchange.ts";
import {
  HttpError,
  JSON_HEADERS,
  NO_HEADERS,
  notUtf8Error,
  STREAM_HEADERS,
  sendError,
  tooLargeError,
} from "../http-error.ts";
import { controlsOf, type HandlerControls, type HttpOptions } from "../options.ts";

/** Handles Web-standard requests, as in Workers, Bun, Deno and Hono. */
export interface FetchHandler extends HandlerControls {
  (request: Request): Promise<Response>;
}

/**
 * Creates a handler that serves MCP at any path it is called for.
 * @throws {UsageError} for invalid options.
 *
 * @example
 * const handler = createFetchHandler(server);
 * export default { fetch: (request: Request) => handler(request) };
 */
export function createFetchHandler(server: Server, options: HttpOptions = {}): FetchHandler {
  const endpoint = new HttpEndpoint(server, options, "createFetchHandler()");
  // Not with a list: Workers drop the work of a request once it is answered.
  endpoint.open("first call");
  const handler = (request: Request) => {
    const exchange = new FetchExchange(request, endpoint);
    endpoint.handle(exchange);
    return exchange.response;
  };
  return Object.assign(handler, controlsOf(endpoint));
}

const encoder = new TextEncoder();
const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

/** A request and its response on Web-standard objects. */
class FetchExchange implements HttpExchange {
  readonly method: string;
  readonly path: string;
  /** Resolves when the response starts. */
  readonly response: Promise<Response>;
  principal: Principal | undefined;
  callerName: string | undefined;
  extraHeaders: readonly string[] | undefined;
  logRecord: RequestRecord | undefined;
  /** Private, so that its headers do not appear if an author logs the request. */
  readonly #raw: Request;
  readonly #endpoint: HttpEndpoint;
  #answer: (response: Response) => void = () => {};
  #stream: ReadableStreamDefaultController<Uint8Array> | undefined;
  #listener: DisconnectListener | undefined;
  #answered = false;

  constructor(request: Request, endpoint: HttpEndpoint) {
    this.#raw = request;
    this.method = request.method;
    this.path = pathOf(request.url);
    this.#endpoint = endpoint;
    this.response = new Promise((resolve) => {
      this.#answer = resolve;
    });
  }

  /** Web-standard requests do not have one. */
  get address(): string | undefined {
    return this.callerName;
  }

  get raw(): Request {
    return this.#raw;
  }

  get query(): string {
    const [beforeFragment = ""] = this.raw.url.split("#", 1);
    const mark = beforeFragment.indexOf("?");
    return mark < 0 ? "" : beforeFragment.slice(mark + 1);
  }

  get urlHost(): string | undefined {
    const { host } = new URL(this.raw.url);
    return host === this.header("host") ? undefined : host;
  }

  header(name: string): string | undefined {
    const value = this.raw.headers.get(name);
    if (value !== null) return value;
    // Some run-times do not list the host among the headers.
    return name === "host" ? new URL(this.raw.url).host : undefined;
  }

  read(receiver: BodyReceiver): void {
    void this.#read(receiver);
  }

  send(status: number, headers: readonly string[], body?: Wire): void {
    if (!this.#finish(status)) return;
    const bytes = body === undefined || typeof body === "string" ? (body ?? null) : join(body);
    this.#answer(new Response(bytes, { status, headers: this.#headers(headers) }));
  }

  open(headers: readonly string[]): void {
    if (this.#answered) return;
    const body = new ReadableStream<Uint8Array>(
      {
        start: (stream) => {
          this.#stream = stream;
        },
        cancel: () => this.#disconnected(),
      },
      { highWaterMark: this.#endpoint.limits.maxUnreadBytes, size: (chunk) => chunk?.byteLength ?? 0 },
    );
    this.#answer(new Response(body, { status: 200, headers: this.#headers(headers) }));
  }

  write(wire: Wire): boolean {
    const stream = this.#stream;
    if (this.#answered || stream === undefined) return false;
    if ((stream.desiredSize ?? 0) <= 0) {
      stream.error(new Error("The client does not read the stream."));
      this.#answered = true;
      return false;
    }
    if (typeof wire === "string") stream.enqueue(encoder.encode(wire));
    else for (const part of wire) stream.enqueue(typeof part === "string" ? encoder.encode(part) : part);
    return true;
  }

  end(): void {
    if (this.#finish(200)) this.#stream?.close();
  }

  watchDisconnect(listener: DisconnectListener): void {
    const first = this.#listener === undefined;
    this.#listener = listener;
    // Most requests are answered by the end of the turn, and some run-times create the signal only on first access.
    // Each exchange schedules its own check: Workers forbid touching objects of another request.
    if (first) atEndOfTurn(() => this.#watch());
  }

  /** Starts to listen for a disconnect, unless the request is answered. */
  #watch(): void {
    if (this.#answered) return;
    const { signal } = this.raw;
    if (signal.aborted) this.#disconnected();
    else signal.addEventListener("abort", () => this.#disconnected(), { once: true });
  }

  #headers(headers: readonly string[]): Record<string, string> {
    return this.extraHeaders === undefined
      ? recordOf(headers)
      : { ...recordOf(headers), ...toRecord(this.extraHeaders) };
  }

  async #read(receiver: BodyReceiver): Promise<void> {
    let text: string | undefined;
    try {
      const bytes = await this.#readBytes(receiver.maxMessageBytes);
      if (bytes instanceof HttpError) {
        sendError(this, bytes);
        return;
      }
      text = decoder.decode(bytes);
    } catch {
      // Not UTF-8, or the client disconnected while it was sending.
      sendError(this, notUtf8Error());
      return;
    }
    receiver.received(this, text);
  }

  /**
   * Reads the body, or returns why it is rejected; it stops reading as soon as that is known. The announced length may be
   * false: a run-time that does not compare it with the body would pass on any number of bytes.
   */
  async #readBytes(limit: number): Promise<Uint8Array | HttpError> {
    if (Number(this.raw.headers.get("content-length")) > limit) return tooLargeError(limit);
    const chunks: Uint8Array[] = [];
    let size = 0;
    let upload: Upload | undefined;
    const reader = this.raw.body?.getReader();
    try {
      while (reader !== undefined) {
        const { value, done } = await reader.read();
        if (done) break;
        const [first] = chunks;
        if (first !== undefined) upload ??= new Upload(this, first.length);
        size += value.length;
        const error = size > limit ? tooLargeError(limit) : upload?.add(value.length);
        if (error !== undefined) {
          // Not awaited: a source that never settles must not hold back the response.
          reader.cancel().catch(() => {});
          return error;
        }
        chunks.push(value);
      }
    } finally {
      upload?.end();
    }
    const [only] = chunks;
    return only !== undefined && chunks.length === 1 ? only : concat(chunks);
  }

  #disconnected(): void {
    if (this.#answered) return;
    this.#answered = true;
    this.#endpoint.log(this, 499);
    this.#listener?.onDisconnect();
  }

  /** Marks the exchange as answered; false if it already was. */
  #finish(status: number): boolean {
    if (this.#answered) return false;
    this.#answered = true;
    if (this.logRecord !== undefined) this.#endpoint.log(this, status);
    return true;
  }
}

/** The common header lists as objects for Response, converted once. */
const records = new Map([JSON_HEADERS, STREAM_HEADERS, NO_HEADERS].map((list) => [list, toRecord(list)]));

function recordOf(list: readonly string[]): Record<string, string> {
  return records.get(list) ?? toRecord(list);
}

/** No list contains a name twice. */
function toRecord(list: readonly string[]): Record<string, string> {
  const record: Record<string, string> = {};
  for (let at = 0; at < list.length; at += 2) record[list[at] as string] = list[at + 1] as string;
  return record;
}

/** The path of an absolute URL, which Request has normalized. */
function pathOf(url: string): string {
  const start = url.indexOf("/", url.indexOf("://") + 3);
  const end = url.slice(start).search(/[?#]/);
  return end < 0 ? url.slice(start) : url.slice(start, start + end);
}

function join(wire: Exclude<Wire, string>): Uint8Array<ArrayBuffer> {
  return concat(wire.map((part) => (typeof part === "string" ? encoder.encode(part) : part)));
}
