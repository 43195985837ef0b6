import { type Context, context, type Link, propagation, type SpanContext, trace } from "@opentelemetry/api";
import { CallView, type MiddlewareCall } from "../../calls/call-view.ts";
import type { Settings } from "./options.ts";
import { type Carrier, readBaggage, readSpanContext } from "./trace-context.ts";

/** Where the span of a call begins. */
export interface Origin {
  readonly context: Context;
  readonly links: Link[];
  /** The context has no parent that counts. */
  readonly root: boolean;
}

/** Finds the parent of a call's span. A context that is not the parent becomes a link. */
export function findOrigin(call: MiddlewareCall, settings: Settings): Origin {
  const active = context.active();
  const { parents } = settings;
  if (parents === "none") return { context: active, links: [], root: true };
  const { _meta } = call.params;
  const carrier = parents === "http" ? undefined : (_meta as Carrier | undefined);
  const meta = carrier?.traceparent === undefined ? undefined : readSpanContext(carrier);
  // An instrumentation of HTTP has read the headers, if there is one.
  const ambient = trace.getSpanContext(active);
  const http = ambient ?? readHeaders(call);
  if (meta === undefined && http === undefined) return { context: active, links: [], root: false };
  const isTrusted = isTrustedCaller(call, settings);
  const links: Link[] = [];
  let parent: SpanContext | undefined;
  for (const [candidate, isWanted] of [
    [meta, isTrusted],
    [http, parents !== "meta" && (isTrusted || http === ambient)],
  ] as const) {
    if (candidate === undefined) continue;
    if (parent === undefined && isWanted) parent = candidate;
    else links.push({ context: candidate });
  }
  if (parent === undefined) return { context: active, links, root: true };
  const base = parent === ambient ? active : trace.setSpanContext(active, parent);
  const baggage = settings.baggage && isTrusted && carrier !== undefined ? readBaggage(carrier) : undefined;
  return { context: baggage === undefined ? base : propagation.setBaggage(base, baggage), links, root: false };
}

/** Only true is trust: a promise must not be, and its rejection must not end the process. */
function isTrustedCaller(call: MiddlewareCall, { trust }: Settings): boolean {
  const trusted: unknown = trust(call.principal, call);
  if (trusted instanceof Promise) trusted.catch(() => undefined);
  return trusted === true;
}

function readHeaders(call: MiddlewareCall): SpanContext | undefined {
  const http = CallView.callOf(call)?.origin.http;
  const traceparent = http?.header("traceparent");
  return traceparent === undefined
    ? undefined
    : readSpanContext({ traceparent, tracestate: http?.header("tracestate") });
}
