import { callerOfThing } from "../../calls/caller.ts";
import type { Principal } from "../../calls/client.ts";
import { ShareError } from "../../calls/in-flight.ts";
import { RpcError } from "../../protocol/errors.ts";
import type { Wire } from "../../protocol/messages.ts";
import { contain } from "../../support/async.ts";
import { consoleLog, type LogSink } from "../../support/log.ts";
import { busyError, type HttpError } from "./http-error.ts";
import { type HttpOptions, shareOf } from "./options.ts";

/** An HTTP request, independent of the run-time that received it. */
export interface HttpRequest {
  /** The verb, such as POST. */
  readonly method: string;
  /** The path without its query. */
  readonly path: string;
  /** The text after the question mark; empty without a query. */
  readonly query: string;
  /**
   * The client's network address, or the text by which the option `caller` names it; undefined where the run-time does not
   * know it.
   */
  readonly address: string | undefined;
  /** The host of the request's URL, where the run-time has one that differs from the header `host`. */
  readonly urlHost?: string | undefined;
  /** The run-time's own request: an IncomingMessage, or a Request. */
  readonly raw: unknown;
  /** The value of a header; the name must be in lower case. */
  header(name: string): string | undefined;
}

/** Receives the body of a request. */
export interface BodyReceiver {
  /** A larger body is answered with 413 and never received. */
  readonly maxMessageBytes: number;
  received(exchange: HttpExchange, text: string): void;
}

/** Is called when the client disconnects before it has the whole response. */
export interface DisconnectListener {
  onDisconnect(): void;
  /** The permission of the caller has ended. Default: the stream ends, as if the client had disconnected. */
  onExpired?(): void;
}

/** A request and its response. It is answered once: by `send`, or by `open`, any number of `write`, and `end`. */
export interface HttpExchange extends HttpRequest {
  principal: Principal | undefined;
  /** The text by which the author names an anonymous caller; it is the address from then on. */
  callerName: string | undefined;
  /** Headers of every response to this request, besides its own: names and values, alternating, as they go on the wire. */
  extraHeaders: readonly string[] | undefined;
  /** The details for the request log; undefined if there is no log. */
  logRecord: RequestRecord | undefined;
  /** Reads the body and passes it to the receiver, once. A body that is too large or not UTF-8 gets an error response. */
  read(receiver: BodyReceiver): void;
  send(status: number, headers: readonly string[], body?: Wire): void;
  open(headers: readonly string[]): void;
  /** Writes to the open stream; false if the client disconnected or reads too slowly, which closes the stream. */
  write(wire: Wire): boolean;
  end(): void;
  /** Calls the listener when the client disconnects; soon, if it already has. */
  watchDisconnect(listener: DisconnectListener): void;
}

/** The details of a request that the request log reports. */
export interface RequestRecord {
  readonly started: number;
  rpc?: string;
  name?: string;
  session?: string;
  code?: number;
}

/** In characters. A client may have written the name. */
const MAX_NAME = 256;

/** Names the caller as the author's function does; a failure of the function leaves the address. */
export function nameCaller(exchange: HttpExchange, nameOf: NonNullable<HttpOptions["caller"]>, log: LogSink): void {
  try {
    const name: unknown = nameOf(exchange);
    if (typeof name === "string") exchange.callerName = name.slice(0, MAX_NAME);
    else if (name !== undefined) {
      // The rejection of a promise must not end the process.
      Promise.resolve(name).catch(() => undefined);
      throw new TypeError(`caller returned a value of type ${typeof name}, not a text or undefined`);
    }
  } catch (error) {
    log({ level: "error", message: "The option caller failed", path: exchange.path, error });
  }
}

/** Passes an answered request to the author's `log` function, once. */
export function logExchange(exchange: HttpExchange, status: number, log: NonNullable<HttpOptions["log"]>): void {
  const { logRecord, method, path, principal } = exchange;
  if (logRecord === undefined) return;
  exchange.logRecord = undefined;
  const { started, ...known } = logRecord;
  const caller = principal === undefined ? {} : { principal: principal.id };
  const entry = { method, path, status, milliseconds: performance.now() - started, ...known, ...caller };
  contain(
    () => log(entry),
    (error) => consoleLog({ level: "error", message: "The HTTP log function failed", ...entry, error }),
  );
}

/**
 * The bytes of large requests that have not arrived completely, of the whole process. Otherwise a thousand connections
 * could each send all but the last byte of the largest message.
 */
export const uploads = { bytes: 0, max: 256 * 1024 * 1024, all: new Set<Upload>() };

/** A request that arrives in more than one chunk. */
export class Upload {
  readonly #exchange: HttpExchange;
  #bytes = 0;

  /** `bytes` have arrived in the first chunk. */
  constructor(exchange: HttpExchange, bytes: number) {
    this.#exchange = exchange;
    uploads.all.add(this);
    this.add(bytes);
  }

  /** Counts bytes that arrived. Returns an error if they are too many, with those of other requests or of the caller. */
  add(bytes: number): HttpError | undefined {
    this.#bytes += bytes;
    uploads.bytes += bytes;
    const { max } = uploads;
    if (uploads.bytes * 2 <= max) return undefined;
    const limit = `The server is busy: ${max} bytes of large requests are arriving. Try again later.`;
    if (uploads.bytes > max) return busyError(new RpcError("busy", limit));
    const share = shareOf(max);
    return this.#bytesOfCaller() > share ? busyError(new ShareError(share, "bytes of large requests")) : undefined;
  }

  /** The request has arrived, was rejected, or its client disconnected. */
  end(): void {
    uploads.bytes -= this.#bytes;
    this.#bytes = 0;
    uploads.all.delete(this);
  }

  #bytesOfCaller(): number {
    const caller = callerOfThing(this.#exchange);
    if (caller === undefined) return 0;
    const own = [...uploads.all].filter((each) => callerOfThing(each.#exchange) === caller);
    return own.reduce((sum, each) => sum + each.#bytes, 0);
  }
}
