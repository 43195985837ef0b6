import { type Attributes, createNoopMeter, type Meter, metrics } from "@opentelemetry/api";
import type { ServerEvent } from "../../calls/observe.ts";
import { ERRORS } from "../../protocol/errors.ts";
import type { ServerState } from "../../server/server.ts";
import { addNetwork, NAMES } from "./span.ts";
import type { Settings } from "./telemetry.ts";

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
    if (this.instruments !== undefined) this.#parts.observe(this.#meter);
  }

  /** Undefined without an SDK, which may be set up later. */
  get instruments(): ReturnType<typeof createInstruments> | undefined {
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
    this.instruments?.calls.add(1);
  }

  ended(attributes: Attributes, milliseconds: number, code: number | undefined): void {
    if (this.instruments === undefined) return;
    const { calls, operations, refused, limited } = this.instruments;
    calls.add(-1);
    operations.record(milliseconds / 1000, attributes);
    if (code === ERRORS.insufficient_scope) refused.add(1, { reason: "scope" });
    if (code === ERRORS.busy) limited.add(1, { [NAMES.method]: attributes[NAMES.method] as string });
  }

  event(event: ServerEvent): void {
    if (this.instruments === undefined) return;
    const { sessions, sessionDurations, streams, refused, keys } = this.instruments;
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

/** The instruments that exist anyway, by the name that a number of a server would have. */
const TAKEN = new Set(["proffer.calls.active", "proffer.sessions.active", "proffer.streams.active"]);

/** Exports the numbers of `server.metrics()`, which are read when they are collected. */
class ServerParts {
  /** Weak: the callbacks of a meter outlive a server that `dev` has replaced. */
  readonly #parts: { readonly server: WeakRef<ServerState>; readonly name: string }[] = [];
  readonly #observed = new Set<string>();

  add(server: ServerState, name: string): void {
    const isKnown = this.#parts.some((part) => part.name === name && part.server.deref() === server);
    if (!isKnown) this.#parts.push({ server: new WeakRef(server), name });
  }

  /** Creates the instruments that are missing. */
  observe(meter: Meter): void {
    for (const { server, name: part } of this.#parts) {
      const sources = [...(server.deref()?.metricSources?.get(part) ?? [])];
      for (const name of sources.flatMap(({ read }) => Object.keys(read()))) {
        const full = `proffer.${part}.${name}`;
        if (TAKEN.has(full) || this.#observed.has(full)) continue;
        this.#observed.add(full);
        const isGauge = sources.some(({ gauges }) => gauges.includes(name));
        const instrument = isGauge ? meter.createObservableGauge(full) : meter.createObservableCounter(full);
        instrument.addCallback((result) => {
          for (const [value, owner] of this.#read(part, name)) result.observe(value, { "proffer.server": owner });
        });
      }
    }
  }

  /** The values of all servers, with their names. */
  *#read(part: string, name: string): Iterable<[number, string]> {
    for (const { server, name: own } of this.#parts) {
      const state = own === part ? server.deref() : undefined;
      const value = state?.metrics()[part]?.[name];
      if (state !== undefined && value !== undefined) yield [value, state.info.name];
    }
  }
}
