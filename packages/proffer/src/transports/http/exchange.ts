import type { Principal } from "../../calls/principal.ts";
import type { Wire } from "../../protocol/messages.ts";

/** Names and values in turn, as they go on the wire. */
export type HeaderList = readonly string[];

/** What the logic needs to see of an HTTP request, whichever run-time carries it. */
export interface HttpRequest {
  /** The verb, such as POST. */
  readonly method: string;
  /** The path without its query. */
  readonly path: string;
  /** What follows the question mark; empty if there is none. */
  readonly query: string;
  /** The run-time's own request: an IncomingMessage, or a Request. */
  readonly raw: unknown;
  /** The value of a header; the name must be in lower case. */
  header(name: string): string | undefined;
}

/** Takes the body of a request, or hears why there is none. */
export interface BodyReceiver {
  readonly maxBodyBytes: number;
  received(exchange: HttpExchange, text: string): void;
  tooLarge(exchange: HttpExchange): void;
  malformed(exchange: HttpExchange): void;
}

/** Hears that the client went away before it had the whole answer. */
export interface DisconnectListener {
  onDisconnect(): void;
}

/** One request and the way to answer it. It is answered once: by `send`, or by `open`, any number of `write` and `end`. */
export interface HttpExchange extends HttpRequest {
  principal: Principal | undefined;
  /** What every answer to this request carries besides its own headers. */
  extraHeaders: HeaderList | undefined;
  /** What the log says of the request, if there is one. */
  logRecord: RequestRecord | undefined;
  /** Reads the body and gives it to the receiver, once. */
  read(receiver: BodyReceiver): void;
  send(status: number, headers: HeaderList, body?: Wire): void;
  open(headers: HeaderList): void;
  /** Writes to the open stream; false if the client is gone or reads too slowly, and the stream with it. */
  write(wire: Wire): boolean;
  end(): void;
  /** Tells `departure` when the client goes; at once if it has gone. */
  watchDisconnect(departure: DisconnectListener): void;
}

/** What is known of a request when it is logged. */
export interface RequestRecord {
  readonly started: number;
  rpc?: string;
  name?: string;
  session?: string;
  code?: number;
}
