import { isAscii, isUtf8 } from "node:buffer";
import type { IncomingMessage, ServerResponse } from "node:http";
import type { Principal } from "../../../calls/principal.ts";
import type { Wire } from "../../../protocol/messages.ts";
import type { HttpEndpoint } from "../endpoint.ts";
import type { BodyReceiver, DisconnectListener, HeaderList, HttpExchange, RequestRecord } from "../exchange.ts";

/** How long a client may go on sending a body that was refused, so that it gets to read why. */
const LINGER = 1000;

/**
 * To be watched when this turn of the event loop is over. Most are answered by then, and a listener costs as much as a
 * twentieth of a call.
 */
let unwatched: NodeExchange[] = [];

function watchAll(): void {
  const waiting = unwatched;
  unwatched = [];
  for (const exchange of waiting) exchange.attend();
}

/** A request and its answer on Node's own objects. */
export class NodeExchange implements HttpExchange {
  readonly method: string;
  readonly path: string;
  readonly raw: IncomingMessage;
  principal: Principal | undefined;
  extraHeaders: HeaderList | undefined;
  logRecord: RequestRecord | undefined;
  readonly #response: ServerResponse;
  readonly #endpoint: HttpEndpoint | undefined;
  #departure: DisconnectListener | undefined;
  #answered = false;
  #watching = false;

  constructor(request: IncomingMessage, response: ServerResponse, path: string, endpoint?: HttpEndpoint) {
    this.raw = request;
    this.method = request.method ?? "";
    this.path = path;
    this.#response = response;
    this.#endpoint = endpoint;
  }

  get query(): string {
    const { url = "" } = this.raw;
    const mark = url.indexOf("?");
    return mark < 0 ? "" : url.slice(mark + 1);
  }

  header(name: string): string | undefined {
    const value = this.raw.headers[name];
    // HTTP/2 has the host in a header of its own.
    if (value === undefined)
      return name === "host" ? (this.raw.headers[":authority"] as string | undefined) : undefined;
    return typeof value === "string" ? value : value.join(", ");
  }

  /**
   * Whether Host, Content-Type or Authorization came twice. Node keeps the first of them; whoever stands before us may
   * have gone by the last.
   */
  get ambiguous(): boolean {
    const { rawHeaders } = this.raw;
    let hosts = 0;
    let types = 0;
    let credentials = 0;
    for (let at = 0; at < rawHeaders.length; at += 2) {
      const name = rawHeaders[at] as string;
      // The length rules out nearly every other header, and costs nothing.
      if (name.length === 4 && name.toLowerCase() === "host") hosts++;
      else if (name.length === 12 && name.toLowerCase() === "content-type") types++;
      else if (name.length === 13 && name.toLowerCase() === "authorization") credentials++;
    }
    return hosts > 1 || types > 1 || credentials > 1;
  }

  read(receiver: BodyReceiver): void {
    const { raw } = this;
    if (Number(raw.headers["content-length"]) > receiver.maxBodyBytes) {
      receiver.tooLarge(this);
      return;
    }
    const chunks: Buffer[] = [];
    let size = 0;
    raw.on("data", (chunk: Buffer) => {
      // Refused before; what still comes is thrown away.
      if (size > receiver.maxBodyBytes) return;
      size += chunk.length;
      if (size <= receiver.maxBodyBytes) {
        chunks.push(chunk);
        return;
      }
      chunks.length = 0;
      receiver.tooLarge(this);
    });
    raw.on("end", () => {
      if (size > receiver.maxBodyBytes) return;
      const bytes = chunks.length === 1 ? (chunks[0] as Buffer) : Buffer.concat(chunks);
      if (isAscii(bytes)) receiver.received(this, bytes.toString("latin1"));
      else if (isUtf8(bytes)) receiver.received(this, bytes.toString("utf8"));
      else receiver.malformed(this);
    });
  }

  send(status: number, headers: HeaderList, body?: Wire): void {
    const response = this.#finish(status);
    if (response === undefined) return;
    if (!this.raw.complete) this.#linger();
    const all = this.extraHeaders === undefined ? headers.slice() : [...headers, ...this.extraHeaders];
    if (body === undefined) {
      if (status !== 204) all.push("content-length", "0");
      response.writeHead(status, all).end();
    } else if (typeof body === "string") {
      const length = Buffer.byteLength(body);
      all.push("content-length", String(length));
      response.writeHead(status, all).end(body, encodingOf(body, length));
    } else {
      const lengths = body.map((part) => Buffer.byteLength(part));
      all.push("content-length", String(lengths.reduce((sum, length) => sum + length, 0)));
      response.writeHead(status, all);
      // Bytes go out by reference: the parts leave in one system call, uncopied.
      response.cork();
      body.forEach((part, i) => {
        if (typeof part === "string") response.write(part, encodingOf(part, lengths[i] as number));
        else response.write(part);
      });
      response.end();
    }
  }

  open(headers: HeaderList): void {
    if (this.#answered || this.#response.destroyed) return;
    const all = this.extraHeaders === undefined ? headers.slice() : [...headers, ...this.extraHeaders];
    this.#response.writeHead(200, all).flushHeaders();
  }

  write(wire: Wire): boolean {
    const response = this.#response;
    if (this.#answered || response.destroyed) return false;
    if (response.writableLength > (this.#endpoint?.limits.maxUnreadBytes ?? 0)) {
      response.destroy();
      return false;
    }
    if (typeof wire === "string") {
      response.write(wire);
      return true;
    }
    response.cork();
    for (const part of wire) response.write(part);
    response.uncork();
    return true;
  }

  end(): void {
    this.#finish(this.#response.statusCode)?.end();
  }

  watchDisconnect(departure: DisconnectListener): void {
    this.#departure = departure;
    if (this.#watching) return;
    this.#watching = true;
    if (unwatched.push(this) === 1) setImmediate(watchAll);
  }

  /** Listens for the client's going, if it still waits. */
  attend(): void {
    if (this.#answered) return;
    if (this.#response.destroyed) this.#gone();
    else this.#response.once("close", () => this.#gone());
  }

  #gone(): void {
    if (this.#answered) return;
    this.#answered = true;
    // The status that web servers log for a client that went away.
    this.#endpoint?.log(this, 499);
    this.#departure?.onDisconnect();
  }

  /** The response, if it can still be ended. */
  #finish(status: number): ServerResponse | undefined {
    if (this.#answered) return undefined;
    this.#answered = true;
    if (this.logRecord !== undefined) this.#endpoint?.log(this, status);
    return this.#response.destroyed ? undefined : this.#response;
  }

  /**
   * Answered before the whole request was there: the rest is thrown away, for a while. Closing at once would make the
   * client's system throw our answer away unread.
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

/** Text of so many bytes: without a character beyond ASCII it needs no encoding, only copying. */
function encodingOf(text: string, bytes: number): "latin1" | "utf8" {
  return bytes === text.length ? "latin1" : "utf8";
}
