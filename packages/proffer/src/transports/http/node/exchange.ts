import type { IncomingMessage, ServerResponse } from "node:http";
import { callerOfThing } from "../../../calls/caller.ts";
import type { Principal } from "../../../calls/client.ts";
import type { Wire } from "../../../protocol/messages.ts";
import type { HttpEndpoint } from "../endpoint.ts";
import type { BodyReceiver, DisconnectListener, HttpExchange, RequestRecord } from "../exchange.ts";
import { Upload } from "../exchange.ts";
import { HttpError, sendError, tooLargeError } from "../http-error.ts";
import { UNREAD_TIMEOUT } from "../options.ts";
import { type TrustedProxies, warnOfProxy } from "./address.ts";
import { encodingOf, endWith, LargeBody, SLICE, textOf, textOfParsed, toBytes } from "./body.ts";
import { isGone, UnreadResponse, unreadResponses } from "./unread.ts";

/** Milliseconds that a client may keep sending a rejected body, so that it can read the response. */
const LINGER = 1000;

/** Bytes of a stream that may wait for the next tick uncounted. */
const MAX_UNCOUNTED = 16 * 1024;

/** Half of the number of headers that Node parses by default. */
const MAX_HEADERS = 1000;

/** Exchanges to watch for a disconnect after this event-loop turn. Most are answered by then and need no listener. */
let unwatched: NodeExchange[] = [];

function watchAll(): void {
  const waiting = unwatched;
  unwatched = [];
  for (const exchange of waiting) exchange.watch();
}

/** A request and its response on Node's objects. */
export class NodeExchange implements HttpExchange {
  readonly method: string;
  readonly path: string;
  principal: Principal | undefined;
  callerName: string | undefined;
  extraHeaders: readonly string[] | undefined;
  logRecord: RequestRecord | undefined;
  /** The body, if the caller passes it; otherwise it is read, or taken from `request.body` if it was read before. */
  parsedBody: unknown;
  /** Private, so that its headers do not appear if an author logs the request. */
  readonly #raw: IncomingMessage;
  readonly #response: ServerResponse;
  readonly #endpoint: HttpEndpoint | undefined;
  readonly #proxies: TrustedProxies | undefined;
  #listener: DisconnectListener | undefined;
  #answered = false;
  #watching = false;
  /** Set once a client was slow to take its bytes. */
  #unread: UnreadResponse | undefined;

  constructor(
    request: IncomingMessage,
    response: ServerResponse,
    path: string,
    endpoint?: HttpEndpoint,
    proxies?: TrustedProxies,
  ) {
    this.#raw = request;
    this.method = request.method ?? "";
    this.path = path;
    this.#response = response;
    this.#endpoint = endpoint;
    this.#proxies = proxies;
  }

  get address(): string | undefined {
    if (this.callerName !== undefined) return this.callerName;
    const { remoteAddress } = this.raw.socket;
    const forwardedFor = this.header("x-forwarded-for");
    if (remoteAddress === undefined || forwardedFor === undefined) return remoteAddress;
    if (this.#proxies?.has(remoteAddress)) return this.#proxies.clientOf(remoteAddress, forwardedFor);
    if (this.#endpoint !== undefined) warnOfProxy(this.#endpoint, remoteAddress);
    return remoteAddress;
  }

  get raw(): IncomingMessage {
    return this.#raw;
  }

  get query(): string {
    const { url = "" } = this.raw;
    const mark = url.indexOf("?");
    return mark < 0 ? "" : url.slice(mark + 1);
  }

  header(name: string): string | undefined {
    const value = this.raw.headers[name];
    // HTTP/2 sends the host as :authority.
    if (value === undefined)
      return name === "host" ? (this.raw.headers[":authority"] as string | undefined) : undefined;
    return typeof value === "string" ? value : value.join(", ");
  }

  /**
   * Why the headers cannot be trusted; undefined if they can. Of two Host, Content-Type or Authorization headers Node
   * keeps the first; a proxy in front may have checked the last one. Node drops headers beyond `maxHeadersCount`, and
   * with them a second Host, so a request that reaches that number is refused.
   */
  headerError(): HttpError | undefined {
    const { rawHeaders } = this.raw;
    const max = maxHeaders(this.raw);
    if (rawHeaders.length >= 2 * max) return new HttpError(431, `The request has ${max} headers or more.`);
    let hosts = 0;
    let types = 0;
    let credentials = 0;
    for (let at = 0; at < rawHeaders.length; at += 2) {
      const name = rawHeaders[at] as string;
      // Comparing lengths first is cheap and rules out nearly every other header.
      if (name.length === 4 && name.toLowerCase() === "host") hosts++;
      else if (name.length === 12 && name.toLowerCase() === "content-type") types++;
      else if (name.length === 13 && name.toLowerCase() === "authorization") credentials++;
    }
    if (hosts <= 1 && types <= 1 && credentials <= 1) return undefined;
    return new HttpError(400, "Host, Content-Type or Authorization was sent twice.");
  }

  read(receiver: BodyReceiver): void {
    const { raw } = this;
    if (Number(raw.headers["content-length"]) > receiver.maxMessageBytes) {
      sendError(this, tooLargeError(receiver.maxMessageBytes));
      return;
    }
    if (raw.readableDidRead) {
      const body = this.parsedBody === undefined ? (raw as { body?: unknown }).body : this.parsedBody;
      this.#receive(receiver, textOfParsed(body, receiver.maxMessageBytes));
      return;
    }
    const chunks: Buffer[] = [];
    let size = 0;
    let upload: Upload | undefined;
    raw.on("data", (chunk: Buffer) => {
      // Rejected before: the rest is discarded.
      if (size > receiver.maxMessageBytes) return;
      const [first] = chunks;
      if (first !== undefined) upload ??= this.#startUpload(first.length);
      size += chunk.length;
      const error =
        size > receiver.maxMessageBytes ? tooLargeError(receiver.maxMessageBytes) : upload?.add(chunk.length);
      if (error === undefined) {
        chunks.push(chunk);
        return;
      }
      size = Number.POSITIVE_INFINITY;
      chunks.length = 0;
      upload?.end();
      sendError(this, error);
    });
    raw.on("end", () => {
      if (size > receiver.maxMessageBytes) return;
      upload?.end();
      this.#receive(receiver, textOf(chunks.length === 1 ? (chunks[0] as Buffer) : Buffer.concat(chunks)));
    });
  }

  #receive(receiver: BodyReceiver, text: string | HttpError): void {
    // A client that resets its streams at once has no address any more, and would be nobody's share.
    if (this.#isGone) this.#disconnected();
    else if (typeof text === "string") receiver.received(this, text);
    else sendError(this, text);
  }

  /** Counts the bytes of a request with a second chunk; one that arrives at once costs nothing. */
  #startUpload(bytes: number): Upload {
    const upload = new Upload(this, bytes);
    this.raw.once("close", () => upload.end());
    return upload;
  }

  send(status: number, headers: readonly string[], body?: Wire): void {
    const response = this.#finish(status);
    if (response === undefined) return;
    if (!this.raw.complete) this.#linger();
    const all = this.extraHeaders === undefined ? headers.slice() : [...headers, ...this.extraHeaders];
    if (body === undefined) {
      if (status !== 204 && status !== 304 && this.method !== "HEAD") all.push("content-length", "0");
      response.writeHead(status, all).end();
    } else if (typeof body === "string" && body.length <= SLICE) {
      const length = Buffer.byteLength(body);
      all.push("content-length", String(length));
      endWith(response.writeHead(status, all), body, encodingOf(body, length));
    } else {
      const parts = typeof body === "string" ? [body] : body;
      const lengths = parts.map((part) => Buffer.byteLength(part));
      const length = lengths.reduce((sum, each) => sum + each, 0);
      all.push("content-length", String(length));
      response.writeHead(status, all);
      if (length > SLICE) {
        // As bytes, the parts wait outside of the heap, and Node need not copy them.
        const bytes = parts.map((part, i) => toBytes(part, lengths[i] as number));
        new LargeBody(this.#unreadOf(response), bytes).send();
        return;
      }
      // Corked, the parts leave in one system call; bytes are not copied.
      response.cork();
      parts.forEach((part, i) => {
        if (typeof part === "string") response.write(part, encodingOf(part, lengths[i] as number));
        else response.write(part);
      });
      response.end();
    }
    if (response.writableLength > 0) this.#countUnread(response);
  }

  open(headers: readonly string[]): void {
    if (this.#answered || this.#isGone) return;
    const all = this.extraHeaders === undefined ? headers.slice() : [...headers, ...this.extraHeaders];
    this.#response.writeHead(200, all).flushHeaders();
  }

  write(wire: Wire): boolean {
    const response = this.#response;
    if (this.#answered || this.#isGone) return false;
    const before = response.writableLength;
    if (before > (this.#endpoint?.limits.maxUnreadBytes ?? 0)) {
      response.destroy();
      return false;
    }
    if (this.#unread !== undefined) unreadResponses.update(this.#unread);
    if (typeof wire === "string") response.write(wire);
    else {
      response.cork();
      for (const part of wire) response.write(part);
      response.uncork();
    }
    // Node writes the events of one tick together, so a few bytes always wait here.
    if (before > 0 || response.writableLength > MAX_UNCOUNTED) this.#countUnread(response);
    return true;
  }

  end(): void {
    const response = this.#finish(this.#response.statusCode)?.end();
    if (response !== undefined && response.writableLength > 0) this.#countUnread(response);
  }

  watchDisconnect(listener: DisconnectListener): void {
    this.#listener = listener;
    if (this.#watching) return;
    this.#watching = true;
    if (unwatched.push(this) === 1) setImmediate(watchAll);
  }

  get #isGone(): boolean {
    return "stream" in this.#response ? isGone(this.#response) : this.#response.destroyed;
  }

  /** Starts to listen for a disconnect, unless the request is answered. */
  watch(): void {
    if (this.#answered) return;
    if (this.#isGone) this.#disconnected();
    else this.#response.once("close", () => this.#disconnected());
  }

  #disconnected(): void {
    if (this.#answered) return;
    this.#answered = true;
    // nginx logs this status for a client that disconnected.
    this.#endpoint?.log(this, 499);
    this.#listener?.onDisconnect();
  }

  #countUnread(response: ServerResponse): void {
    unreadResponses.add(this.#unreadOf(response));
  }

  #unreadOf(response: ServerResponse): UnreadResponse {
    const timeout = this.#endpoint?.limits.unreadTimeout ?? UNREAD_TIMEOUT;
    this.#unread ??= new UnreadResponse(response, timeout, callerOfThing(this));
    return this.#unread;
  }

  /** Marks the exchange as answered; undefined if it already was, or the client has disconnected. */
  #finish(status: number): ServerResponse | undefined {
    if (this.#answered) return undefined;
    this.#answered = true;
    // While the client reads, nothing here may keep the call and its result.
    this.#listener = undefined;
    if (this.logRecord !== undefined) this.#endpoint?.log(this, status);
    return this.#isGone ? undefined : this.#response;
  }

  /**
   * Answered before the whole request arrived: reads and discards the rest for a while. An immediate close would reset
   * the connection, and the client would lose the response.
   */
  #linger(): void {
    const { raw } = this;
    const { "content-length": length = "0", "transfer-encoding": encoding } = raw.headers;
    if (length === "0" && encoding === undefined) return;
    raw.resume();
    const timer = setTimeout(() => raw.destroy(), LINGER);
    timer.unref();
    raw.once("close", () => clearTimeout(timer));
  }
}

/** The number of headers from which on Node, or the embedding server's own setting, may have dropped some. */
function maxHeaders({ socket }: IncomingMessage): number {
  const owner = (socket as { server?: { maxHeadersCount?: number | null } } | undefined)?.server;
  // 0 means that Node drops none.
  return Math.min(MAX_HEADERS, owner?.maxHeadersCount || MAX_HEADERS);
}
