import type { ChangeListener } from "../catalog/changes.ts";
import type { NamedItem, Routed } from "../catalog/find.ts";
import type { ErrorObject } from "../protocol/errors.ts";
import { isObject, type JsonObject, type RequestId, type RequestMessage, type Wire } from "../protocol/messages.ts";
import type {
  CacheHints,
  CallResult,
  ClientCapabilities,
  Implementation,
  LogLevel,
  ToolDescription,
} from "../protocol/model.ts";
import type { Revision } from "../protocol/revisions/revision.ts";
import type { ServerState } from "../server/server.ts";
import { type Client, DescribedClient, META, type Principal, type SessionState } from "./client.ts";
import type { ClientResponse } from "./client-requests.ts";
import type { Observation } from "./observe.ts";
import type { Questions } from "./question.ts";

/** How a call reached the server. "memory" is the testing client. */
export type TransportName = "stdio" | "http" | "memory";

/** The parts of an HTTP request that telemetry reads. */
export interface HttpSource {
  /** The run-time's own request. */
  readonly raw: unknown;
  header(name: string): string | undefined;
}

/** The source of a call and the destination of its response. A transport creates one per connection or per request. */
export interface CallOrigin {
  readonly transport: TransportName;
  readonly principal: Principal | undefined;
  /** The state of the session that `initialize` opened; undefined on revisions without sessions. */
  readonly session: SessionState | undefined;
  /** By whom it is counted, if that is known already. */
  readonly caller?: string | undefined;
  /** The network address of the client, where the transport knows one. */
  readonly address?: string | undefined;
  /** The query of the URL to which the request was sent. */
  readonly query?: string | undefined;
  /** The HTTP request of the call, if it came by one. */
  readonly http?: HttpSource | undefined;
  /** Whether the response to `subscriptions/listen` counts as a stream, not as a call in flight. */
  readonly countsStreams?: boolean;
  /** Receives list changes and resource updates for the session, if there is one. */
  readonly listener?: ChangeListener | undefined;
  /** Sends a notification that belongs to the call. */
  notify(call: Call, text: string): void;
  /** Sends a request to the client and returns its response; undefined if the transport cannot. */
  readonly request?: ((call: Call, method: string, params: JsonObject) => Promise<ClientResponse>) | undefined;
  /** Sends the response; transports with status codes map `error` to one. A task keeps `result`, without the envelope. */
  respond(call: Call, wire: Wire, error?: ErrorObject, result?: object): void;
  /** Called when the call is no longer in flight. */
  onSettled?(call: Call): void;
  /** Closes the client's connection while the call continues, if the client can reconnect for the response. */
  detach?(call: Call): void;
  /** Called when the call was cancelled and gets no response. */
  onCancelled?(call: Call): void;
}

/** A request that clients may send: its handler and its protocol properties. */
export interface Method {
  /** Returns the result or a promise of it, or throws. */
  readonly handle: (call: Call) => unknown;
  /** The server capability that must be advertised for the method to exist. */
  readonly capability?: "tools" | "prompts" | "resources" | "completions" | "logging";
  /** Whether a revision has it, for a method of a feature; the others are in the list of the revision. */
  readonly isIn?: (revision: Revision) => boolean;
  /** Complete results carry cache hints if the revision has them. */
  readonly cacheable?: true;
  /** Returns the arguments as the handler gets them; undefined if they are invalid. */
  readonly readArguments?: (call: Call) => unknown;
  /** The parameter that the `Mcp-Name` header mirrors. */
  readonly mirrored?: string;
  /** The handler may ask the client for input before it returns a result. */
  readonly asks?: true;
  /** It runs a function of the author, and so waits until the server has started. */
  readonly runs?: true;
}

/** Converts tools and their results for a client that would lose a part of them. */
export interface Conversion {
  /** The same for the same conversion: pages are remembered by it. */
  readonly key: string;
  tool(description: ToolDescription): ToolDescription;
  result(result: CallResult): CallResult;
}

const NO_PARAMS: JsonObject = /* @__PURE__ */ Object.freeze({});

/** Converts a handler's return value or error to the result of the call. */
type Continuation = (value: unknown) => object | Promise<object>;

/** One request in flight. */
export class Call {
  readonly server: ServerState;
  readonly origin: CallOrigin;
  readonly revision: Revision;
  readonly id: RequestId;
  readonly method: string;
  /** As the client sent them, except for an earlier name of an item, or one that `adapt` shortened. */
  params: JsonObject;
  /** The earlier name in the request, if `params` has the present one instead. */
  alias: string | undefined;
  /** How to convert tools and results for the client, beside the conversions of the revision. */
  conversion: Conversion | undefined;
  /** Answered or cancelled: nothing more may be sent for it. */
  done = false;
  /** The valid arguments of a tool, or a promise of them, if middleware has read them. */
  input: { readonly value: unknown } | undefined;
  /** The resource that the request names, once access to it was checked. */
  routed: Routed | undefined;
  /** Cache hints of the result, if they differ from the server's. */
  cacheHints: CacheHints | undefined;
  /** Ends a call that would otherwise stay open, with a complete result. */
  end: (() => void) | undefined;
  /** Settles when the handler has ended, if it is asynchronous. */
  work: Promise<unknown> | undefined;
  /** The handler of a call that was cancelled, or answered when its time limit was up. It counts until it ends. */
  lateHandler: Promise<unknown> | undefined;
  /** Ends the counting of the late handler. */
  release: (() => void) | undefined;
  /** Slot in the table of in-flight calls, or -1. */
  slot = -1;
  /** Withdraws each question that the client has not answered yet; created with the first one. */
  unanswered: Set<() => void> | undefined;
  /** How the handler's questions reach the client; `questionsOf` creates it on first use. */
  questions: Questions | undefined;
  /** Reports the call to the server's observers, if there are any. */
  observation: Observation | undefined;
  /** The items that the request names, as far as they exist for the caller. Set by `namedItems`. */
  named: readonly NamedItem[] | undefined;
  /** Ends the call when the tool's time limit is up. */
  timer: ReturnType<typeof setTimeout> | undefined;
  #abort: AbortController | undefined;
  #resolve: ((result: object) => void) | undefined;
  #fail: ((error: unknown) => void) | undefined;
  #closed = false;
  #chain: string | undefined;

  constructor(server: ServerState, origin: CallOrigin, revision: Revision, message: RequestMessage) {
    this.server = server;
    this.origin = origin;
    this.revision = revision;
    this.id = message.id;
    this.method = message.method;
    this.params = message.params ?? NO_PARAMS;
  }

  /** Undefined for a method that the server does not have. */
  get definition(): Method | undefined {
    return this.server.methods.get(this.method);
  }

  get meta(): JsonObject {
    const { _meta } = this.params;
    return isObject(_meta) ? _meta : NO_PARAMS;
  }

  get client(): Client {
    if (this.revision.handshake)
      return this.origin.session?.client ?? new DescribedClient(undefined, {}, this.revision);
    const { [META.clientInfo]: info, [META.clientCapabilities]: capabilities } = this.meta;
    return new DescribedClient(info as Implementation | undefined, capabilities as ClientCapabilities, this.revision);
  }

  /** Identifies the call through all its rounds. Created on first access; `resume` sets that of an earlier round. */
  get chain(): string {
    this.#chain ??= crypto.randomUUID();
    return this.#chain;
  }

  set chain(chain: string) {
    this.#chain = chain;
  }

  /** The lowest log level that the client wants; undefined for none. */
  get logLevel(): LogLevel | undefined {
    if (this.revision.handshake) return this.origin.session?.logLevel ?? "info";
    return this.meta[META.logLevel] as LogLevel | undefined;
  }

  /** Whether the handler waits for the user; that time does not count towards its time limit. */
  get waiting(): boolean {
    return this.unanswered !== undefined && this.unanswered.size > 0;
  }

  /** Created on first access: most handlers never use it, and an AbortController costs more than a small call. */
  get signal(): AbortSignal {
    if (this.#abort === undefined) {
      this.#abort = new AbortController();
      if (this.#aborted !== undefined) this.#abort.abort(abortError(this.#aborted));
    }
    return this.#abort.signal;
  }

  /** The reason, if the call was aborted. */
  #aborted: string | undefined;

  /** Aborts the handler's signal; the call may still be answered. */
  abort(reason: string): void {
    if (this.#aborted !== undefined) return;
    this.#aborted = reason;
    this.#withdrawQuestions();
    this.#abort?.abort(abortError(reason));
  }

  /** Marks the call as answered. The client can withdraw questions for which the handler did not wait. */
  finish(): void {
    this.#withdrawQuestions();
    this.done = true;
  }

  /** Cancels the call: its client disconnected or no longer wants the result. */
  cancel(reason: string): void {
    this.done = true;
    clearTimeout(this.timer);
    // A handler that waits for an answer never goes on.
    if (!this.waiting) this.lateHandler ??= this.work;
    this.abort(reason);
    this.observation?.cancelled();
  }

  /**
   * Resolves with `next(value)` when the handler's promise fulfils, with `fail(error)` when it or `next` fails, and
   * with the result passed to `interrupt()` if that comes first. Creates two promises, where an async function would
   * create four.
   */
  outcome(pending: unknown, next: Continuation, fail: Continuation): Promise<object> {
    return new Promise((resolve, reject) => {
      const settleFailed = (error: unknown) => {
        try {
          resolve(fail(error));
        } catch (thrown) {
          reject(thrown);
        }
      };
      // Two fields, not a closure over both: with one more object per call, V8 grows its young generation, and the
      // benchmark scenario "memory" takes 30 MiB more.
      this.#resolve = resolve;
      this.#fail = settleFailed;
      // After an interruption, a late result or rejection of the handler is ignored.
      Promise.resolve(pending).then(
        (value) => {
          if (this.#closed) return;
          clearTimeout(this.timer);
          try {
            const result = next(value);
            if (result instanceof Promise) result.then(resolve, settleFailed);
            else resolve(result);
          } catch (error) {
            settleFailed(error);
          }
        },
        (error) => {
          if (this.#closed) return;
          clearTimeout(this.timer);
          settleFailed(error);
        },
      );
    });
  }

  /** The late handler will never end, because it asked a question; it no longer counts. */
  forgetLateHandler(): void {
    this.lateHandler = undefined;
    this.release?.();
  }

  /** Ignores the handler from now on; `interrupt` ends the call. */
  ignoreHandler(): void {
    this.#closed = true;
  }

  /** Ends the call with this result or error, whatever its handler is doing. */
  interrupt(end: object): void {
    this.#closed = true;
    clearTimeout(this.timer);
    if (end instanceof Error) this.#fail?.(end);
    else this.#resolve?.(end);
    this.abort("The call ended; if it asked something, it will run again with the answer.");
  }

  #withdrawQuestions(): void {
    if (this.unanswered !== undefined) for (const withdraw of this.unanswered) withdraw();
  }

  /** Answered by its own handler: not abandoned for a question or at its time limit, and not cancelled. */
  get completed(): boolean {
    return this.done && !this.#closed && this.#aborted === undefined;
  }

  notify(method: string, params: object): void {
    if (!this.done && !this.#closed) this.origin.notify(this, JSON.stringify({ jsonrpc: "2.0", method, params }));
  }
}

function abortError(reason: string): DOMException {
  return new DOMException(reason, "AbortError");
}
