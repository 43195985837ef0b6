import { type Attributes, context, type Span, SpanKind, SpanStatusCode, trace } from "@opentelemetry/api";
import { CallView, type MiddlewareCall } from "../calls/call-view.ts";
import type { CallOutcome, Observer, RequestObserver } from "../calls/observe.ts";
import { defineObserver } from "../observe/define.ts";
import { isObject } from "../protocol/messages.ts";
import {
  addNetwork,
  failureAttributes,
  failureMessage,
  NAMES,
  requestId,
  sharedAttributes,
  spanName,
} from "./attributes.ts";
import { Metrics } from "./metrics.ts";
import { type Redact, type Settings, type TelemetryOptions, toSettings } from "./options.ts";
import { findOrigin } from "./parent.ts";
import { writeSpanContext } from "./trace-context.ts";

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
  return defineObserver({
    begin: (call, work) => recorder.begin(call, work),
    end: (call, outcome) => recorder.end(call, outcome),
    request: (call, method) => recorder.request(call, method),
    event: (event) => recorder.metrics?.event(event),
    logDetails: (call) => recorder.logDetails(call),
  });
}

interface Begun {
  readonly span: Span;
  readonly attributes: Attributes;
}

class Recorder {
  readonly metrics: Metrics | undefined;
  readonly #settings: Settings;
  readonly #begun = new WeakMap<MiddlewareCall, Begun>();

  constructor(settings: Settings) {
    this.#settings = settings;
    this.metrics = settings.metrics ? new Metrics(settings) : undefined;
  }

  begin(call: MiddlewareCall, work: () => unknown): unknown {
    const attributes = sharedAttributes(call, this.#settings.uris);
    const origin = findOrigin(call, this.#settings);
    const { links, root } = origin;
    const id = requestId(call);
    const span = this.#tracer.startSpan(
      spanName(attributes),
      {
        kind: SpanKind.SERVER,
        attributes: id === undefined ? attributes : { ...attributes, [NAMES.requestId]: id },
        links,
        root,
      },
      origin.context,
    );
    this.#begun.set(call, { span, attributes });
    this.metrics?.began();
    const run = () => context.with(trace.setSpan(origin.context, span), work);
    return call.method === "tools/call" && span.isRecording() ? this.#withContents(call, span, run) : run();
  }

  end(call: MiddlewareCall, outcome: CallOutcome): void {
    const begun = this.#begun.get(call);
    if (begun === undefined) return;
    const { span, attributes } = begun;
    const failure = failureAttributes(outcome);
    const { code, message, milliseconds } = outcome;
    this.metrics?.ended(failure === undefined ? attributes : { ...attributes, ...failure }, milliseconds, code);
    if (!span.isRecording()) return;
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
    const parent = this.#begun.get(call)?.span;
    if (parent === undefined) return undefined;
    const known = CallView.callOf(call);
    const attributes: Attributes = { [NAMES.method]: method };
    if (known !== undefined) attributes[NAMES.revision] = known.revision.version;
    addNetwork(attributes, call.transport, known?.origin.http);
    const span = this.#tracer.startSpan(
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
    const span = (call === undefined ? undefined : this.#begun.get(call)?.span) ?? trace.getActiveSpan();
    const known = span?.spanContext();
    if (known === undefined || !trace.isSpanContextValid(known)) return undefined;
    return { trace_id: known.traceId, span_id: known.spanId };
  }

  get #tracer() {
    return (this.#settings.tracerProvider ?? trace).getTracer("proffer");
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
