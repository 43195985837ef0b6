import { type Attributes, createNoopMeter, type Meter, metrics } from "@opentelemetry/api";
import type { ServerEvent } from "../../calls/observe.ts";
import { ERRORS } from "../../protocol/errors.ts";
import type { ServerState } from "../../server/server.ts";
import { addNetwork, NAMES } from "./attributes.ts";
import type { Settings } from "./options.ts";
import { ServerParts } from "./server-parts.ts";

/** The buckets of the MCP conventions, in seconds. */
const BUCKETS = [0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 30, 60, 120, 300];
/** The meter of a process without an SDK. */
const NO_METER = createNoopMeter();
const ADVICE = { advice: { explicitBucketBoundaries: BUCKETS }, unit: "s" };

/** The instruments of a server, created at first use: the global provider may be set after the server is defined. */
export class Metrics {
  readonly #provider: Settings["meterProvider"];
  #instruments: ReturnType<typeof createInstruments> | undefined;

  readonly #parts = new ServerParts();

  constructor({ meterProvider }: Settings) {
    this.#provider = meterProvider;
  }

  /** Exports a part of `server.metrics()`. */
  measured(server: ServerState, part: string): void {
    this.#parts.add(server, part);
    if (this.#all !== undefined) this.#parts.observe(this.#meter);
  }

  /** Whether there is an SDK for metrics. */
  isOn(): boolean {
    return this.#all !== undefined;
  }

  /** Undefined without an SDK, which may be set up later. */
  get #all(): ReturnType<typeof createInstruments> | undefined {
    if (this.#instruments !== undefined) return this.#instruments;
    const meter = this.#meter;
    if (meter === NO_METER) return undefined;
    this.#instruments = createInstruments(meter);
    this.#parts.observe(meter);
    return this.#instruments;
  }

  get #meter(): Meter {
    return (this.#provider ?? metrics).getMeter("proffer");
  }

  began(): void {
    this.#all?.calls.add(1);
  }

  ended(attributes: Attributes, milliseconds: number, code: number | undefined): void {
    if (this.#all === undefined) return;
    const { calls, operations, refused, limited } = this.#all;
    calls.add(-1);
    operations.record(milliseconds / 1000, attributes);
    if (code === ERRORS.insufficient_scope) refused.add(1, { reason: "scope" });
    if (code === ERRORS.busy) limited.add(1, { [NAMES.method]: attributes[NAMES.method] as string });
  }

  event(event: ServerEvent): void {
    if (this.#all === undefined) return;
    const { sessions, sessionDurations, streams, refused, keys } = this.#all;
    switch (event.type) {
      case "session_opened":
        sessions.add(1);
        break;
      case "session_closed": {
        sessions.add(-1);
        const attributes: Attributes = { [NAMES.revision]: event.revision };
        addNetwork(attributes, event.transport);
        sessionDurations.record(event.milliseconds / 1000, attributes);
        break;
      }
      case "stream_opened":
        streams.add(1);
        break;
      case "stream_closed":
        streams.add(-1);
        break;
      case "auth_refused":
        refused.add(1, { reason: event.reason ?? String(event.status) });
        break;
      case "keys_fetched":
        keys.add(1, { outcome: event.failed ? "error" : "ok" });
        break;
    }
  }
}

function createInstruments(meter: Meter) {
  return {
    operations: meter.createHistogram("mcp.server.operation.duration", {
      ...ADVICE,
      description: "The duration of a request.",
    }),
    sessionDurations: meter.createHistogram("mcp.server.session.duration", {
      ...ADVICE,
      description: "The duration of a session.",
    }),
    calls: meter.createUpDownCounter("proffer.calls.active", { description: "Requests in flight." }),
    sessions: meter.createUpDownCounter("proffer.sessions.active", { description: "Open sessions." }),
    streams: meter.createUpDownCounter("proffer.streams.active", { description: "Open event streams over HTTP." }),
    refused: meter.createCounter("proffer.auth.refused", { description: "Refused callers, by reason." }),
    keys: meter.createCounter("proffer.keys.fetch", { description: "Attempts to fetch the keys of an issuer." }),
    limited: meter.createCounter("proffer.rate.limited", { description: "Calls that were refused as busy." }),
  };
}
