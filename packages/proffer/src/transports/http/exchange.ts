import type { Principal } from "../../calls/principal.ts";
import type { Wire } from "../../protocol/messages.ts";

/** Header names and values, alternating, as they go on the wire. */
export type HeaderList = readonly string[];

/** An HTTP request, independent of the run-time that received it. */
export interface HttpRequest {
  /** The verb, such as POST. */
  readonly method: string;
  /** The path without its query. */
  readonly path: string;
  /** The text after the question mark; empty without a query. */
  readonly query: string;
  /** The client's network address; undefined where the run-time does not know it. */
  readonly address: string | undefined;
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
  /** Headers of every response to this request, besides the response's own. */
  extraHeaders: HeaderList | undefined;
  /** The details for the request log; undefined if there is no log. */
  logRecord: RequestRecord | undefined;
  /** Reads the body and passes it to the receiver, once. A body that is too large or not UTF-8 gets an error response. */
  read(receiver: BodyReceiver): void;
  send(status: number, headers: HeaderList, body?: Wire): void;
  open(headers: HeaderList): void;
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
