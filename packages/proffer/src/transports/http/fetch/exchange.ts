import type { Principal } from "../../../calls/principal.ts";
import type { Wire } from "../../../protocol/messages.ts";
import { concat } from "../../../support/bytes.ts";
import { atEndOfTurn } from "../../../support/end-of-turn.ts";
import type { HttpEndpoint } from "../endpoint.ts";
import type { BodyReceiver, DisconnectListener, HeaderList, HttpExchange, RequestRecord } from "../exchange.ts";
import { JSON_HEADERS, NO_HEADERS, STREAM_HEADERS } from "../http-error.ts";

const encoder = new TextEncoder();
const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

/** A request and its answer on the objects of the Web. */
export class FetchExchange implements HttpExchange {
  readonly method: string;
  readonly path: string;
  readonly raw: Request;
  /** Resolves when the answer begins. */
  readonly response: Promise<Response>;
  principal: Principal | undefined;
  extraHeaders: HeaderList | undefined;
  logRecord: RequestRecord | undefined;
  readonly #endpoint: HttpEndpoint;
  #answer: (response: Response) => void = () => {};
  #stream: ReadableStreamDefaultController<Uint8Array> | undefined;
  #departure: DisconnectListener | undefined;
  #answered = false;

  constructor(request: Request, endpoint: HttpEndpoint) {
    this.raw = request;
    this.method = request.method;
    this.path = pathOf(request.url);
    this.#endpoint = endpoint;
    this.response = new Promise((resolve) => {
      this.#answer = resolve;
    });
  }

  get query(): string {
    return new URL(this.raw.url).search.slice(1);
  }

  header(name: string): string | undefined {
    const value = this.raw.headers.get(name);
    if (value !== null) return value;
    // Some run-times keep the host out of the headers.
    return name === "host" ? new URL(this.raw.url).host : undefined;
  }

  read(receiver: BodyReceiver): void {
    void this.#read(receiver);
  }

  send(status: number, headers: HeaderList, body?: Wire): void {
    if (!this.#finish(status)) return;
    const bytes = body === undefined || typeof body === "string" ? (body ?? null) : join(body);
    this.#answer(new Response(bytes, { status, headers: this.#headers(headers) }));
  }

  open(headers: HeaderList): void {
    if (this.#answered) return;
    const body = new ReadableStream<Uint8Array>(
      {
        start: (stream) => {
          this.#stream = stream;
        },
        cancel: () => this.#gone(),
      },
      { highWaterMark: this.#endpoint.limits.maxUnreadBytes, size: (chunk) => chunk?.byteLength ?? 0 },
    );
    this.#answer(new Response(body, { status: 200, headers: this.#headers(headers) }));
  }

  write(wire: Wire): boolean {
    const stream = this.#stream;
    if (this.#answered || stream === undefined) return false;
    if ((stream.desiredSize ?? 0) <= 0) {
      stream.error(new Error("The client does not read what it asked for."));
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

  watchDisconnect(departure: DisconnectListener): void {
    const first = this.#departure === undefined;
    this.#departure = departure;
    // Most are answered by the end of the turn, and some run-times make a signal only for who asks for it. Each has a
    // turn's end of its own, because on Workers none may touch what belongs to another request.
    if (first) atEndOfTurn(() => this.#attend());
  }

  /** Listens for the client's going, if it still waits. */
  #attend(): void {
    if (this.#answered) return;
    const { signal } = this.raw;
    if (signal.aborted) this.#gone();
    else signal.addEventListener("abort", () => this.#gone(), { once: true });
  }

  #headers(headers: HeaderList): Record<string, string> {
    return this.extraHeaders === undefined
      ? recordOf(headers)
      : { ...recordOf(headers), ...toRecord(this.extraHeaders) };
  }

  async #read(receiver: BodyReceiver): Promise<void> {
    let text: string | undefined;
    try {
      const bytes = await this.#readBytes(receiver.maxBodyBytes);
      if (bytes === undefined) {
        receiver.tooLarge(this);
        return;
      }
      text = decoder.decode(bytes);
    } catch {
      // Not UTF-8, or a client that went away before it had sent everything.
      receiver.malformed(this);
      return;
    }
    receiver.received(this, text);
  }

  /** The body; undefined if it is larger than allowed, of which no more is read than is needed to know. */
  async #readBytes(limit: number): Promise<Uint8Array | undefined> {
    const announced = this.raw.headers.get("content-length");
    if (announced !== null) {
      if (Number(announced) > limit) return undefined;
      const bytes = new Uint8Array(await this.raw.arrayBuffer());
      return bytes.length > limit ? undefined : bytes;
    }
    const chunks: Uint8Array[] = [];
    let size = 0;
    const reader = this.raw.body?.getReader();
    while (reader !== undefined) {
      const { value, done } = await reader.read();
      if (done) break;
      size += value.length;
      if (size > limit) {
        await reader.cancel();
        return undefined;
      }
      chunks.push(value);
    }
    return concat(chunks);
  }

  #gone(): void {
    if (this.#answered) return;
    this.#answered = true;
    this.#endpoint.log(this, 499);
    this.#departure?.onDisconnect();
  }

  /** Whether the answer can still be ended. */
  #finish(status: number): boolean {
    if (this.#answered) return false;
    this.#answered = true;
    if (this.logRecord !== undefined) this.#endpoint.log(this, status);
    return true;
  }
}

/** The lists that nearly every answer has, as the objects that Response takes. */
const records = new Map([JSON_HEADERS, STREAM_HEADERS, NO_HEADERS].map((list) => [list, toRecord(list)]));

function recordOf(list: HeaderList): Record<string, string> {
  return records.get(list) ?? toRecord(list);
}

/** No list has a name twice. */
function toRecord(list: HeaderList): Record<string, string> {
  const record: Record<string, string> = {};
  for (let at = 0; at < list.length; at += 2) record[list[at] as string] = list[at + 1] as string;
  return record;
}

/** The path of an absolute URL, which Request has brought into its normal form. */
function pathOf(url: string): string {
  const start = url.indexOf("/", url.indexOf("://") + 3);
  const end = url.slice(start).search(/[?#]/);
  return end < 0 ? url.slice(start) : url.slice(start, start + end);
}

function join(wire: Exclude<Wire, string>): Uint8Array<ArrayBuffer> {
  return concat(wire.map((part) => (typeof part === "string" ? encoder.encode(part) : part)));
}
