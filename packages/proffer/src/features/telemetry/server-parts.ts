import type { Meter } from "@opentelemetry/api";
import type { ServerState } from "../../server/server.ts";

/** The instruments that exist anyway, by the name that a number of a server would have. */
const TAKEN = new Set(["proffer.calls.active", "proffer.sessions.active", "proffer.streams.active"]);

interface Part {
  /** Weak: the callbacks of a meter outlive a server that `dev` has replaced. */
  readonly server: WeakRef<ServerState>;
  readonly name: string;
}

/** Exports the numbers of `server.metrics()`, which are read when they are collected. */
export class ServerParts {
  readonly #parts: Part[] = [];
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
