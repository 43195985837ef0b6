import type { Call, TransportName } from "../../calls/call.ts";
import { CallView, type MiddlewareCall } from "../../calls/call-view.ts";
import type { SessionState } from "../../calls/client.ts";
import type { ClientResponse } from "../../calls/client-requests.ts";
import type {
  CallOutcome,
  DefinedObserver,
  Observation,
  Observer,
  ObserverOptions,
  Observers,
  RequestObserver,
  ServerEvent,
} from "../../calls/observe.ts";
import { ERRORS, type ErrorObject } from "../../protocol/errors.ts";
import type { JsonObject, Wire } from "../../protocol/messages.ts";
import type { CallResult } from "../../protocol/model.ts";
import type { ServerState } from "../../server/server.ts";
import { contain } from "../../support/async.ts";
import { utf8Length } from "../../support/bytes.ts";
import type { LogEntry, LogSink } from "../../support/log.ts";
import { UsageError } from "../../support/usage-error.ts";

const MEMBERS = ["begin", "end", "request", "event", "logDetails"] as const;

class OwnObserver implements DefinedObserver {
  readonly kind = "observer";
  readonly options: ObserverOptions;
  measured?: (server: ServerState, part: string) => void;

  constructor(options: ObserverOptions) {
    this.options = options;
  }

  combine(list: readonly DefinedObserver[], sink: LogSink): Observers {
    return new ObserverList(list as readonly OwnObserver[], sink);
  }
}

/**
 * Defines an observer for `defineServer({ observe })`. @throws {UsageError} for options without a function.
 *
 * @example
 * const durations = defineObserver({
 *   end: (call, { milliseconds }) => console.error(call.method, call.name, milliseconds),
 * });
 */
export function defineObserver(options: ObserverOptions): Observer {
  const given = MEMBERS.filter((name) => options?.[name] !== undefined);
  if (given.length > 0 && given.every((name) => typeof options[name] === "function")) {
    return new OwnObserver(options);
  }
  throw new UsageError(`An observer needs at least one of the functions ${MEMBERS.join(", ")}.`);
}

/** The observers of a server. */
class ObserverList implements Observers {
  readonly log: LogSink;
  readonly #observers: readonly OwnObserver[];
  /** Innermost first. */
  readonly #begins: readonly ObserverOptions[];
  readonly #failed: (error: unknown) => void;

  constructor(observers: readonly OwnObserver[], sink: LogSink) {
    this.#observers = observers;
    this.#begins = observers
      .map(({ options }) => options)
      .filter(({ begin }) => begin !== undefined)
      .reverse();
    this.#failed = (error) => sink({ level: "error", message: "An observer failed", error });
    this.log = (entry) => sink(this.withDetails(entry, undefined));
  }

  observe(call: Call, work: () => unknown): unknown {
    const observation = new CallObservation(this, call);
    call.observation = observation;
    let run = work;
    for (const observer of this.#begins) run = this.#around(observer, observation.view, run);
    return run();
  }

  /** Calls a hook of each observer. */
  each(use: (observer: ObserverOptions) => unknown): void {
    for (const { options } of this.#observers) this.contain(() => use(options));
  }

  /** Logs a failure of an observer. */
  contain(work: () => unknown): void {
    contain(work, this.#failed);
  }

  event(event: ServerEvent): void {
    this.each((observer) => observer.event?.(event));
  }

  measured(server: ServerState, part: string): void {
    for (const observer of this.#observers) this.contain(() => observer.measured?.(server, part));
  }

  opened(session: SessionState, transport: TransportName): void {
    const known = { revision: session.revision.version, transport };
    const started = performance.now();
    session.onClose = () => this.event({ type: "session_closed", ...known, milliseconds: performance.now() - started });
    this.event({ type: "session_opened", ...known });
  }

  withDetails(entry: LogEntry, call: Call | undefined): LogEntry {
    let detailed = entry;
    this.each((observer) => {
      const details = observer.logDetails?.(call?.observation?.view);
      // The entry's own members come first: an observer changes nothing.
      if (details !== undefined) detailed = { ...details, ...detailed };
    });
    return detailed;
  }

  /** The work runs exactly once and its outcome counts, whatever `begin` does or returns. */
  #around(observer: ObserverOptions, view: MiddlewareCall, work: () => unknown): () => unknown {
    return () => {
      let hasRun = false;
      let hasThrown = false;
      let outcome: unknown;
      const once = () => {
        if (!hasRun) {
          hasRun = true;
          try {
            outcome = work();
          } catch (error) {
            hasThrown = true;
            outcome = error;
          }
        }
        if (hasThrown) throw outcome;
        return outcome;
      };
      contain(
        () => {
          const returned = observer.begin?.(view, once);
          return returned === outcome ? undefined : returned;
        },
        (error) => this.#reportOwn(error, outcome),
      );
      return once();
    };
  }

  /** Reports an exception of `begin`, unless it is that of the work, which passed through. */
  #reportOwn(error: unknown, outcome: unknown): void {
    if (error === outcome) return;
    const report = (own?: unknown) => (own === error ? undefined : this.#failed(error));
    if (outcome instanceof Promise) outcome.then(() => report(), report);
    else report();
  }
}

/** Reports one call to the observers. */
class CallObservation implements Observation {
  readonly view: CallView;
  readonly #observers: ObserverList;
  readonly #started = performance.now();
  #requests: Set<(response?: ClientResponse) => void> | undefined;
  #ended = false;

  constructor(observers: ObserverList, call: Call) {
    this.#observers = observers;
    this.view = new CallView(call);
  }

  succeeded(result: Partial<CallResult> & { readonly resultType?: unknown }, wire: Wire): void {
    const asks = result.resultType === "input_required";
    this.#end({ failed: result.isError === true, asks, bytes: sizeOf(wire), cancelled: false });
  }

  failed({ code, message }: ErrorObject, wire: Wire): void {
    this.#end({ code, message, failed: true, asks: false, bytes: sizeOf(wire), cancelled: false });
  }

  cancelled(): void {
    this.#end({ failed: false, asks: false, bytes: 0, cancelled: true });
  }

  request(method: string, params: JsonObject): readonly [JsonObject, (response?: ClientResponse) => void] {
    const added: RequestObserver[] = [];
    this.#observers.each((observer) => {
      const own = observer.request?.(this.view, method);
      if (own !== undefined) added.push(own);
    });
    const meta = Object.assign({}, params._meta, ...added.map((own) => own.meta));
    const settle = (response?: ClientResponse) => {
      if (!this.#requests?.delete(settle)) return;
      const code = response !== undefined && "error" in response ? codeOf(response.error) : undefined;
      for (const own of added) this.#observers.contain(() => own.end?.(code, response === undefined));
    };
    this.#requests ??= new Set();
    this.#requests.add(settle);
    return [Object.keys(meta).length === 0 ? params : { ...params, _meta: meta }, settle];
  }

  #end(outcome: Omit<CallOutcome, "milliseconds">): void {
    if (this.#ended) return;
    this.#ended = true;
    for (const settle of this.#requests ?? []) settle();
    const milliseconds = performance.now() - this.#started;
    this.#observers.each((observer) => observer.end?.(this.view, { milliseconds, ...outcome }));
  }
}

/** A client may send an error without a number. */
function codeOf({ code }: JsonObject): number {
  return typeof code === "number" ? code : ERRORS.internal_error;
}

function sizeOf(wire: Wire): number {
  if (typeof wire === "string") return utf8Length(wire);
  return wire.reduce((size, part) => size + (typeof part === "string" ? utf8Length(part) : part.length), 0);
}
