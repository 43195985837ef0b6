import type { StoreMetrics } from "../cluster/measured-store.ts";
import type { ChangeMetrics } from "../cluster/shared-changes.ts";
import type { ServerState } from "./server.ts";

/** The numbers of one part of a server. */
export interface MetricValues {
  readonly [name: string]: number;
}

/** What a server has counted in this process, by part. A part that is not used is absent. */
export interface ServerMetrics {
  /** With `cluster`: the operations of its store. */
  readonly store?: StoreMetrics;
  /** With `cluster`: the messages between nodes about changed resources. */
  readonly changes?: ChangeMetrics;
  readonly [part: string]: MetricValues | undefined;
}

/** Reads the numbers of a part: cheap, because each export and each scrape calls it. */
export interface MetricSource {
  readonly read: () => MetricValues;
  /** The names of the numbers that may decrease. All others count since the start. */
  readonly gauges: readonly string[];
}

/** Adds a part to the metrics of a server. Sources of the same part are added up. */
export function addMetrics(
  server: ServerState,
  part: string,
  read: () => MetricValues,
  gauges: readonly string[] = [],
): void {
  server.metricSources ??= new Map();
  const earlier = server.metricSources.get(part);
  const source = earlier === undefined ? { read, gauges } : sum(earlier, { read, gauges });
  server.metricSources.set(part, source);
  server.observers?.measured(server, part);
}

function sum(one: MetricSource, other: MetricSource): MetricSource {
  const read = () => {
    const sums: Record<string, number> = { ...one.read() };
    for (const [name, value] of Object.entries(other.read())) sums[name] = (sums[name] ?? 0) + value;
    return sums;
  };
  return { read, gauges: [...one.gauges, ...other.gauges] };
}
