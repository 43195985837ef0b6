import {
  type Attributes,
  context,
  type MeterProvider,
  ProxyTracerProvider,
  type Span,
  SpanKind,
  SpanStatusCode,
  type Tracer,
  type TracerProvider,
  trace,
} from "@opentelemetry/api";
import { CallView, type MiddlewareCall } from "../../calls/call-view.ts";
import type { Principal } from "../../calls/client.ts";
import type { CallOutcome, DefinedObserver, Observer, RequestObserver } from "../../calls/observe.ts";
import { isObject } from "../../protocol/messages.ts";
import { checkFlag, UsageError } from "../../support/usage-error.ts";
import { defineObserver } from "../observe/define.ts";
import { Metrics } from "./metrics.ts";
import {
  addNetwork,
  Descriptions,
  failureAttributes,
  failureMessage,
  findOrigin,
  NAMES,
  requestId,
  writeSpanContext,
} from "./span.ts";

/** The characters of arguments or results that are recorded, if they are. */
const MAX_CONTENT = 8192;

/**
 * Creates an observer that records spans and metrics by the MCP conventions of OpenTelemetry, through its API: without
 * an SDK nothing is recorded. Contents, tokens and session ids are never recorded unless an option says so.
 * @throws {UsageError} for invalid options.
 *
 * @example
 * defineServer({ name: "shop", version: "1.0.0", observe: telemetry() });
 */
export function telemetry(options: TelemetryOptions = {}): Observer {
  const recorder = new Recorder(toSettings(options));
  const observer = defineObserver({
    begin: (call, work) => recorder.begin(call, work),
    end: (call, outcome) => recorder.end(call, outcome),
    request: (call, method) => recorder.request(call, method),
    event: (event) => recorder.metrics?.event(event),
    logDetails: (call) => recorder.logDetails(call),
  });
  const measured: DefinedObserver["measured"] = (server, part) => recorder.metrics?.measured(server, part);
  return Object.assign(observer, { measured });
}

/** Returns the part of a value that may be recorded, as a text or JSON; undefined for nothing. */
export type Redact = (value: unknown, call: MiddlewareCall) => unknown;

const PARENTS = ["meta-then-http", "meta", "http", "none"] as const;

export interface TelemetryOptions {
  /** Records the URIs of resources. Otherwise only the template, or the URI of a fixed resource. Default: false. */
  readonly uris?: boolean;
  /** Records the arguments of tools: whole with true, or as a function returns them. Default: false. */
  readonly arguments?: boolean | Redact;
  /** Records the results of tools: whole with true, or as a function returns them. Default: false. */
  readonly results?: boolean | Redact;
  /** Records metrics beside spans. Default: true. */
  readonly metrics?: boolean;
  /**
   * Where the parent of a span comes from. "meta-then-http": the trace context in `_meta` of the request, else that of
   * the HTTP request; if there are both, the second is a link. "none": every call is a new trace. Default:
   * "meta-then-http".
   */
  readonly parents?: (typeof PARENTS)[number];
  /** Passes the baggage of trusted callers to the handler's context. Default: false. */
  readonly baggage?: boolean;
  /**
   * Whether the trace context of a caller becomes the parent, which lets the caller decide that a trace is sampled.
   * Otherwise it becomes a link. Default: authenticated callers, and every caller over stdio.
   */
  readonly trust?: (principal: Principal | undefined, call: MiddlewareCall) => boolean;
  /** Default: the global provider. */
  readonly tracerProvider?: TracerProvider;
  /** Default: the global provider at the first call. */
  readonly meterProvider?: MeterProvider;
}

const OPTIONS = [
  ...["uris", "arguments", "results", "metrics", "parents", "baggage", "trust"],
  ...["tracerProvider", "meterProvider"],
];

/** The options with their defaults. */
export type Settings = Required<Omit<TelemetryOptions, "tracerProvider" | "meterProvider">> &
  Pick<TelemetryOptions, "tracerProvider" | "meterProvider">;

/** Fills in the defaults. @throws {UsageError} for invalid or unknown options. */
function toSettings(options: TelemetryOptions): Settings {
  const unknown = Object.keys(options).find((name) => !OPTIONS.includes(name));
  if (unknown !== undefined) {
    throw wrong(`unknown option ${JSON.stringify(unknown)}. The options are ${OPTIONS.join(", ")}`);
  }
  for (const name of ["uris", "metrics", "baggage"] as const) checkFlag(name, options[name], "telemetry");
  for (const name of ["arguments", "results"] as const) {
    if (typeof options[name] !== "function") checkFlag(name, options[name], "telemetry");
  }
  const { parents = "meta-then-http", trust = isKnown } = options;
  if (!PARENTS.includes(parents)) {
    throw wrong(`parents must be one of ${PARENTS.join(", ")}, not ${JSON.stringify(parents)}`);
  }
  if (typeof trust !== "function") throw wrong("trust must be a function");
  return { uris: false, arguments: false, results: false, metrics: true, baggage: false, ...options, parents, trust };
}

function isKnown(principal: Principal | undefined, { transport }: MiddlewareCall): boolean {
  return principal !== undefined || transport !== "http";
}

function wrong(message: string): UsageError {
  return new UsageError(`telemetry: ${message}.`);
}

interface Begun {
  /** Undefined without an SDK for traces. */
  readonly span: Span | undefined;
  readonly attributes: Attributes;
}

type Marked = MiddlewareCall & { [key: symbol]: Begun | undefined };

class Recorder {
  readonly metrics: Metrics | undefined;
  readonly #settings: Settings;
  /** Without a tracer, nothing is computed for it. */
  readonly #tracer: () => Tracer | undefined;
  readonly #descriptions: Descriptions;
  /**
   * The property of a call that has its span. A WeakMap would cost more than the span: its table grows and shrinks with
   * the calls, and each garbage collection visits it.
   */
  readonly #key = Symbol("span");

  constructor(settings: Settings) {
    this.#settings = settings;
    this.#tracer = tracerOf(settings);
    this.#descriptions = new Descriptions(settings.uris);
    this.metrics = settings.metrics ? new Metrics(settings) : undefined;
  }

  begin(call: MiddlewareCall, work: () => unknown): unknown {
    const tracer = this.#tracer();
    if (tracer === undefined && this.metrics?.instruments === undefined) return work();
    const { name, attributes } = this.#descriptions.of(call);
    if (tracer === undefined) {
      (call as Marked)[this.#key] = { span: undefined, attributes };
      this.metrics?.began();
      return work();
    }
    const origin = findOrigin(call, this.#settings);
    const { links, root } = origin;
    const span = tracer.startSpan(name, { kind: SpanKind.SERVER, attributes, links, root }, origin.context);
    (call as Marked)[this.#key] = { span, attributes };
    this.metrics?.began();
    const run = () => context.with(trace.setSpan(origin.context, span), work);
    if (!span.isRecording()) return run();
    const id = requestId(call);
    if (id !== undefined) span.setAttribute(NAMES.requestId, id);
    return call.method === "tools/call" ? this.#withContents(call, span, run) : run();
  }

  end(call: MiddlewareCall, outcome: CallOutcome): void {
    const begun = this.#begun(call);
    if (begun === undefined) return;
    const { span, attributes } = begun;
    const failure = failureAttributes(outcome);
    const { code, message, milliseconds } = outcome;
    this.metrics?.ended(failure === undefined ? attributes : { ...attributes, ...failure }, milliseconds, code);
    if (!span?.isRecording()) return;
    if (failure !== undefined) {
      span.setAttributes(failure);
      const shown = message === undefined ? undefined : failureMessage(call, message, this.#settings.uris);
      span.setStatus({ code: SpanStatusCode.ERROR, ...(shown === undefined ? {} : { message: shown }) });
    }
    if (outcome.cancelled) span.setAttribute("proffer.cancelled", true);
    if (outcome.asks || call.round > 0) {
      span.setAttributes({ "proffer.chain": call.chain, "proffer.round": call.round });
    }
    span.end();
  }

  request(call: MiddlewareCall, method: string): RequestObserver | undefined {
    const parent = this.#begun(call)?.span;
    const tracer = this.#tracer();
    if (parent === undefined || tracer === undefined) return undefined;
    const known = CallView.callOf(call);
    const attributes: Attributes = { [NAMES.method]: method };
    if (known !== undefined) attributes[NAMES.revision] = known.revision.version;
    addNetwork(attributes, call.transport, known?.origin.http);
    const span = tracer.startSpan(
      method,
      { kind: SpanKind.CLIENT, attributes },
      trace.setSpan(context.active(), parent),
    );
    const meta = writeSpanContext(span.spanContext());
    return {
      ...(meta === undefined ? {} : { meta }),
      end: (code, cancelled) => {
        if (code !== undefined) {
          span.setAttributes({ [NAMES.errorType]: String(code), [NAMES.statusCode]: String(code) });
          span.setStatus({ code: SpanStatusCode.ERROR });
        }
        if (cancelled) span.setAttribute("proffer.cancelled", true);
        span.end();
      },
    };
  }

  logDetails(call: MiddlewareCall | undefined): Record<string, string> | undefined {
    const span = (call === undefined ? undefined : this.#begun(call)?.span) ?? trace.getActiveSpan();
    const known = span?.spanContext();
    if (known === undefined || !trace.isSpanContextValid(known)) return undefined;
    return { trace_id: known.traceId, span_id: known.spanId };
  }

  #begun(call: MiddlewareCall): Begun | undefined {
    return (call as Marked)[this.#key];
  }

  /** Records the arguments and the result of a tool, if the options say so. */
  #withContents(call: MiddlewareCall, span: Span, run: () => unknown): unknown {
    const { arguments: values, results } = this.#settings;
    record(span, NAMES.arguments, values, call.params.arguments, call);
    const outcome = run();
    if (results === false) return outcome;
    const keep = (result: unknown) => {
      // Not a question: its result contains the state, with which anyone could continue the call.
      if (isObject(result) && "content" in result) record(span, NAMES.result, results, result, call);
    };
    if (outcome instanceof Promise) outcome.then(keep, () => undefined);
    else keep(outcome);
    return outcome;
  }
}

/** Whether an author's function returned a promise, which is a mistake: its rejection must not end the process. */
function isDeferred(value: unknown): boolean {
  if (!(value instanceof Promise)) return false;
  value.catch(() => undefined);
  return true;
}

/** Records a value that an option permits. A function that fails records nothing. */
function record(span: Span, name: string, permitted: boolean | Redact, value: unknown, call: MiddlewareCall): void {
  if (permitted === false || value === undefined) return;
  let text: unknown;
  try {
    const shown = permitted === true ? value : permitted(value, call);
    if (isDeferred(shown)) return;
    text = typeof shown === "string" ? shown : JSON.stringify(shown);
  } catch {
    // The value cannot be written as JSON, or the author's function threw: better no attribute than a wrong one.
    return;
  }
  if (typeof text === "string") span.setAttribute(name, text.slice(0, MAX_CONTENT));
}

/** The provider of a process without an SDK. */
const NO_PROVIDER: TracerProvider = new ProxyTracerProvider().getDelegate();

/** Returns a function that finds the tracer: undefined without an SDK, which may be set up later. */
function tracerOf({ tracerProvider }: Settings): () => Tracer | undefined {
  let known: TracerProvider | undefined;
  let tracer: Tracer | undefined;
  return () => {
    const provider = tracerProvider ?? globalProvider();
    if (provider === undefined) return undefined;
    if (provider !== known) {
      known = provider;
      tracer = provider.getTracer("proffer");
    }
    return tracer;
  };
}

function globalProvider(): TracerProvider | undefined {
  const provider = trace.getTracerProvider();
  if (!(provider instanceof ProxyTracerProvider)) return provider;
  const delegate = provider.getDelegate();
  return delegate === NO_PROVIDER ? undefined : delegate;
}
