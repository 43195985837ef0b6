import type { MeterProvider, TracerProvider } from "@opentelemetry/api";
import type { MiddlewareCall } from "../../calls/call-view.ts";
import type { Principal } from "../../calls/principal.ts";
import { checkFlag, UsageError } from "../../support/usage-error.ts";

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

const NAMES = [
  ...["uris", "arguments", "results", "metrics", "parents", "baggage", "trust"],
  ...["tracerProvider", "meterProvider"],
];

/** The options with their defaults. */
export type Settings = Required<Omit<TelemetryOptions, "tracerProvider" | "meterProvider">> &
  Pick<TelemetryOptions, "tracerProvider" | "meterProvider">;

/** Fills in the defaults. @throws {UsageError} for invalid or unknown options. */
export function toSettings(options: TelemetryOptions): Settings {
  const unknown = Object.keys(options).find((name) => !NAMES.includes(name));
  if (unknown !== undefined) {
    throw wrong(`unknown option ${JSON.stringify(unknown)}. The options are ${NAMES.join(", ")}`);
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
  return new UsageError("bad_option", `telemetry: ${message}.`);
}
