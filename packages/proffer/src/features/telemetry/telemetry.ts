import { type Attributes, context, type Span, SpanKind, SpanStatusCode, trace } from "@opentelemetry/api";
import { CallView, type MiddlewareCall } from "../../calls/call-view.ts";
import type { CallOutcome, DefinedObserver, Observer, RequestObserver } from "../../calls/observe.ts";
import { isObject } from "../../protocol/messages.ts";
import { defineObserver } from "../observe/define.ts";
import { addNetwork, Descriptions, failureAttributes, failureMessage, NAMES, requestId } from "./attributes.ts";
import { Metrics } from "./metrics.ts";
import { type Redact, type Settings, type TelemetryOptions, toSettings } from "./options.ts";
import { findOrigin } from "./parent.ts";
import { writeSpanContext } from "./trace-context.ts";
import { Tracing } from "./tracing.ts";

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

interface Begun {
  /** Undefined without an SDK for traces. */
  readonly span: Span | undefined;
  readonly attributes: Attributes;
}

type Marked = MiddlewareCall & { [key: symbol]: Begun | undefined };

class Recorder {
  readonly metrics: Metrics | undefined;
  readonly #settings: Settings;
  readonly #tracing: Tracing;
  readonly #descriptions: Descriptions;
  /**
   * The property of a call that has its span. A WeakMap would cost more than the span: its table grows and shrinks with
   * the calls, and each garbage collection visits it.
   */
  readonly #key = Symbol("span");

  constructor(settings: Settings) {
    this.#settings = settings;
    this.#tracing = new Tracing(settings);
    this.#descriptions = new Descriptions(settings.uris);
    this.metrics = settings.metrics ? new Metrics(settings) : undefined;
  }

  begin(call: MiddlewareCall, work: () => unknown): unknown {
    const tracer = this.#tracing.tracer();
    if (tracer === undefined && !this.metrics?.isOn()) return work();
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
    const tracer = this.#tracing.tracer();
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
