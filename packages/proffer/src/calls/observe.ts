import type { ErrorObject } from "../protocol/errors.ts";
import type { JsonObject, Wire } from "../protocol/messages.ts";
import type { Meta } from "../protocol/model.ts";
import type { ServerState } from "../server/server.ts";
import type { LogEntry, LogSink } from "../support/log.ts";
import { UsageError } from "../support/usage-error.ts";
import type { Call, TransportName } from "./call.ts";
import type { MiddlewareCall } from "./call-view.ts";
import type { SessionState } from "./client.ts";
import type { ClientResponse } from "./client-requests.ts";

/** How a call ended. */
export interface CallOutcome {
  /** The time from `begin` to the response, including the time that a user needs to answer. */
  readonly milliseconds: number;
  /** The code and message of the JSON-RPC error that the client received. */
  readonly code?: number;
  readonly message?: string;
  /** The client received an error, or a tool result with `isError`. */
  readonly failed: boolean;
  /** The response asks the user something; the next round repeats the request with the answer. */
  readonly asks: boolean;
  /** The size of the response message; 0 if the call was cancelled. */
  readonly bytes: number;
  /** The client cancelled the call or disconnected, and received no response. */
  readonly cancelled: boolean;
}

/** An event outside a call. */
export type ServerEvent =
  | { readonly type: "session_opened"; readonly revision: string; readonly transport: TransportName }
  | {
      readonly type: "session_closed";
      readonly revision: string;
      readonly transport: TransportName;
      readonly milliseconds: number;
    }
  /** An event stream over HTTP. */
  | { readonly type: "stream_opened" | "stream_closed" }
  /** `authenticate` refused a request with this HTTP status; `oauth()` also says why. */
  | { readonly type: "auth_refused"; readonly status: number; readonly reason?: string | undefined }
  /** `oauth()` fetched the keys of an issuer, or tried to. */
  | { readonly type: "keys_fetched"; readonly failed: boolean }
  /** A server with a cluster is served by this process, under that name among its nodes. */
  | { readonly type: "node_joined"; readonly node: string };

/** The part of an observer in a request from the server to the client: it adds metadata, and learns the end. */
export interface RequestObserver {
  /** Added to `params._meta`. */
  readonly meta?: Meta;
  /** `code` is that of the client's error; undefined if it sent a result. `cancelled`: it did not answer. */
  end?(code: number | undefined, cancelled: boolean): void;
}

/**
 * The functions of an observer. It sees each call, refused ones too, and changes nothing: an exception is logged and does
 * not reach the call.
 */
export interface ObserverOptions {
  /** Runs the work and returns its return value. It may run it inside a context; it must not wait for anything. */
  begin?(call: MiddlewareCall, work: () => unknown): unknown;
  /** Called once for each call that began, after its response was sent. `call` is the same object as in `begin`. */
  end?(call: MiddlewareCall, outcome: CallOutcome): void;
  /** Called for each request from the server to the client, on revisions that have them. */
  request?(call: MiddlewareCall, method: string): RequestObserver | undefined;
  event?(event: ServerEvent): void;
  /** Returns details for a log entry: of the call that it is about, or of the call that is running. */
  logDetails?(call: MiddlewareCall | undefined): Readonly<Record<string, unknown>> | undefined;
}

/** An observer. Create it with `defineObserver`. */
export interface Observer {
  readonly kind: "observer";
}

/** An observer with its internals. */
export interface DefinedObserver extends Observer {
  /** Combines the observers of a server. The code is in `observe/`: a server without observers does not load it. */
  combine(list: readonly DefinedObserver[], sink: LogSink): Observers;
  /** A part was added to the metrics of a server, or a source to a part. Set by `telemetry()`. */
  measured?: (server: ServerState, part: string) => void;
}

/** The observers of one server. */
export interface Observers {
  /** Writes an entry with the details of all observers. */
  readonly log: LogSink;
  /** Runs the work of a call inside `begin` of each observer, the first one outermost. */
  observe(call: Call, work: () => unknown): unknown;
  event(event: ServerEvent): void;
  measured(server: ServerState, part: string): void;
  /** Reports a session now, and again when it closes. */
  opened(session: SessionState, transport: TransportName): void;
  withDetails(entry: LogEntry, call: Call): LogEntry;
}

/** Reports one call to the observers. */
export interface Observation {
  readonly view: MiddlewareCall;
  succeeded(result: object, wire: Wire): void;
  failed(error: ErrorObject, wire: Wire): void;
  cancelled(): void;
  /** Reports a request to the client. Returns the parameters to send, and a function for the response. */
  request(method: string, params: JsonObject): readonly [JsonObject, (response: ClientResponse) => void];
}

/** Returns the observers of a server; undefined if there is none. @throws {UsageError} for other values. */
export function toObservers(
  given: Observer | readonly Observer[] | undefined,
  where: string,
  sink: LogSink,
): Observers | undefined {
  const list =
    given === undefined ? [] : Array.isArray(given) ? (given as DefinedObserver[]) : [given as DefinedObserver];
  if (list.every((each) => each?.kind === "observer")) return list[0]?.combine(list, sink);
  throw new UsageError(
    `${where}: observe must be created by defineObserver(), or a list of such observers.`,
    "wrong_use",
  );
}
