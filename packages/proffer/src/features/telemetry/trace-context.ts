import {
  type Baggage,
  type BaggageEntry,
  createTraceState,
  isSpanContextValid,
  propagation,
  type SpanContext,
} from "@opentelemetry/api";

/** The fields of a W3C trace context, from a client: of `_meta`, or of HTTP headers. */
export interface Carrier {
  readonly traceparent?: unknown;
  readonly tracestate?: unknown;
  readonly baggage?: unknown;
}

/** Version 00 of `traceparent`: later versions may be longer, and are not valid MCP. */
const TRACEPARENT = /^00-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})$/;
/** W3C Trace Context, section 3.3.1.5. */
const MAX_TRACESTATE = 512;
/** W3C Baggage, section 3.3.2. */
const MAX_BAGGAGE = 8192;
const MAX_BAGGAGE_ENTRIES = 64;
const TOKEN = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/;

/**
 * Reads the span context that a client sent; undefined if it is not valid. `_meta` has the W3C form whatever propagator
 * the process uses, so no propagator is asked: the values are checked here once.
 */
export function readSpanContext({ traceparent, tracestate }: Carrier): SpanContext | undefined {
  const match = typeof traceparent === "string" ? TRACEPARENT.exec(traceparent) : null;
  const [, traceId = "", spanId = "", flags = ""] = match ?? [];
  const state =
    typeof tracestate === "string" && tracestate !== "" && tracestate.length <= MAX_TRACESTATE ? tracestate : undefined;
  const found: SpanContext = {
    traceId,
    spanId,
    // Only the flag "sampled" has a meaning.
    traceFlags: Number.parseInt(flags, 16) & 1,
    isRemote: true,
    ...(state === undefined ? {} : { traceState: createTraceState(state) }),
  };
  // Refuses ids of zeros only.
  return match !== null && isSpanContextValid(found) ? found : undefined;
}

/** Writes a span context for `_meta`; undefined if there is none. */
export function writeSpanContext(span: SpanContext): Record<string, string> | undefined {
  if (!isSpanContextValid(span)) return undefined;
  const flags = (span.traceFlags & 1).toString(16).padStart(2, "0");
  const state = span.traceState?.serialize() ?? "";
  return {
    traceparent: `00-${span.traceId}-${span.spanId}-${flags}`,
    ...(state === "" ? {} : { tracestate: state }),
  };
}

/** Reads the baggage that a client sent; undefined if it is not valid. Properties of entries are dropped. */
export function readBaggage({ baggage }: Carrier): Baggage | undefined {
  if (typeof baggage !== "string" || baggage === "" || baggage.length > MAX_BAGGAGE) return undefined;
  const members = baggage.split(",");
  if (members.length > MAX_BAGGAGE_ENTRIES) return undefined;
  const entries: Record<string, BaggageEntry> = {};
  for (const member of members) {
    const [pair = ""] = member.split(";");
    const at = pair.indexOf("=");
    const name = pair.slice(0, at).trim();
    if (at < 1 || !TOKEN.test(name)) return undefined;
    try {
      entries[name] = { value: decodeURIComponent(pair.slice(at + 1).trim()) };
    } catch {
      return undefined;
    }
  }
  return propagation.createBaggage(entries);
}
