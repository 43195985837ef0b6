import type { ChangeListener } from "../catalog/changes.ts";
import type { ErrorObject } from "../protocol/errors.ts";
import { isObject, type JsonObject, type RequestId, type RequestMessage, type Wire } from "../protocol/messages.ts";
import type { CacheHints, ClientCapabilities, Implementation, LogLevel } from "../protocol/model.ts";
import type { Revision } from "../protocol/revisions/revision.ts";
import type { Questions } from "../questions/question.ts";
import type { SerializedResult } from "../results/serialized.ts";
import type { ServerState } from "../server/server.ts";
import type { ClientResponse } from "./client-requests.ts";
import { META } from "./envelope.ts";
import type { Principal } from "./principal.ts";
import type { Client, SessionState } from "./session.ts";

/** Where a call came from and where its answer goes. A transport makes one for each connection or each request. */
export interface CallOrigin {
  readonly principal: Principal | undefined;
  /** What the handshake agreed on; absent where each request describes itself. */
  readonly session: SessionState | undefined;
  /** Tell the client what really went wrong. */
  readonly exposeErrors: boolean;
  /** Hears of changes on behalf of the session, where there is one. */
  readonly listener?: ChangeListener | undefined;
  /** Sends a notification that belongs to the call. */
  notify(call: Call, text: string): void;
  /** Sends a request of the server's own, and gives the client's response; absent where none can be sent. */
  readonly request?: ((call: Call, method: string, params: JsonObject) => Promise<ClientResponse>) | undefined;
  /** Sends the answer; `error` tells a transport that has status codes what it says. */
  respond(call: Call, wire: Wire, error?: ErrorObject): void;
  /** Hears that the call is no longer in work. */
  onSettled?(call: Call): void;
  /** Lets the client's connection go while the call goes on, where the client can come back for the answer. */
  detach?(call: Call): void;
  /** Hears that the call was given up, so that its answer is not waited for. */
  onCancelled?(call: Call): void;
}

const NO_PARAMS: JsonObject = /* @__PURE__ */ Object.freeze({});

/** Turns what a handler returned or threw into the result of the call. */
type Continuation = (value: unknown) => object | Promise<object>;

/** One request in work. */
export class Call {
  readonly server: ServerState;
  readonly origin: CallOrigin;
  readonly revision: Revision;
  readonly id: RequestId;
  readonly method: string;
  readonly params: JsonObject;
  /** Answered, cancelled, or given up: nothing more may be sent for it. */
  done = false;
  /** Caching hints of the answer, where they differ from the server's. */
  cacheHints: CacheHints | undefined;
  /** Ends a call that would go on for ever, with a proper answer. */
  end: (() => void) | undefined;
  /** The handler that its caller no longer waits for: until it ends, it takes up the room of a call. */
  lateHandler: Promise<unknown> | undefined;
  /** Where those who keep calls in order keep this one. */
  slot = -1;
  /** How many questions are waiting for the user: their time does not count as the handler's. */
  waiting = 0;
  /** How the handler's questions reach the client; `questionsOf` creates it on first use. */
  questions: Questions | undefined;
  /** Ends the call when the tool's time limit is up. */
  timer: ReturnType<typeof setTimeout> | undefined;
  #abort: AbortController | undefined;
  #interrupt: ((end: SerializedResult | Error) => void) | undefined;
  #closed = false;

  constructor(server: ServerState, origin: CallOrigin, revision: Revision, message: RequestMessage) {
    this.server = server;
    this.origin = origin;
    this.revision = revision;
    this.id = message.id;
    this.method = message.method;
    this.params = message.params ?? NO_PARAMS;
  }

  get meta(): JsonObject {
    const { _meta } = this.params;
    return isObject(_meta) ? _meta : NO_PARAMS;
  }

  get client(): Client {
    if (this.revision.handshake)
      return this.origin.session?.client ?? { ...UNKNOWN_CLIENT, revision: this.revision.version };
    return {
      info: this.meta[META.clientInfo] as Implementation | undefined,
      capabilities: this.meta[META.clientCapabilities] as ClientCapabilities,
      revision: this.revision.version,
    };
  }

  /** The least level that the client wants to hear of; undefined for none. */
  get logLevel(): LogLevel | undefined {
    if (this.revision.handshake) return this.origin.session?.logLevel ?? "info";
    return this.meta[META.logLevel] as LogLevel | undefined;
  }

  /** Made when first asked for: most handlers never do, and a controller costs more than a small call. */
  get signal(): AbortSignal {
    if (this.#abort === undefined) {
      this.#abort = new AbortController();
      if (this.#aborted !== undefined) this.#abort.abort(abortError(this.#aborted));
    }
    return this.#abort.signal;
  }

  /** Why it was aborted, if it was. */
  #aborted: string | undefined;

  /** Tells the handler to stop; whether the call is answered is for the caller to say. */
  abort(reason: string): void {
    if (this.#aborted !== undefined) return;
    this.#aborted = reason;
    this.#abort?.abort(abortError(reason));
  }

  /** Gives the call up: its client is gone or does not want the answer any more. */
  cancel(reason: string): void {
    this.done = true;
    this.abort(reason);
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
      this.#interrupt = (end) => (end instanceof Error ? settleFailed(end) : resolve(end));
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

  /** From now on nothing that the handler does counts; how the call ends is decided elsewhere. */
  ignoreHandler(): void {
    this.#closed = true;
  }

  /** Ends the call with this result or error, whatever its handler is doing. */
  interrupt(end: SerializedResult | Error): void {
    this.#closed = true;
    clearTimeout(this.timer);
    this.#interrupt?.(end);
    this.abort("The call ended; if it asked something, it will run again with the answer.");
  }

  notify(method: string, params: object): void {
    if (!this.done && !this.#closed) this.origin.notify(this, JSON.stringify({ jsonrpc: "2.0", method, params }));
  }
}

const UNKNOWN_CLIENT = { info: undefined, capabilities: {} };

function abortError(reason: string): DOMException {
  return new DOMException(reason, "AbortError");
}
