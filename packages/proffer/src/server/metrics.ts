import type { ServerState } from "./server.ts";

/** The numbers of one part of a server. */
export interface MetricValues {
  readonly [name: string]: number;
}

/** The open calls, sessions and streams at the HTTP endpoints of a server. */
export interface HttpMetrics extends MetricValues {
  readonly calls: number;
  readonly sessions: number;
  readonly streams: number;
}

/** The counters of a server in this process, by part. A part that is not used is absent. */
export interface ServerMetrics {
  /** Over HTTP: the numbers of open things. */
  readonly http?: HttpMetrics;
  /**
   * With `cluster`, `store` has the operations of its store, and `changes` the messages between nodes about changed
   * resources. With tools that have `task`, `tasks` has the tasks that this node created and worked on.
   */
  readonly [part: string]: MetricValues | undefined;
}

/** Reads the numbers of a part: cheap, because each export and each scrape calls it. */
export interface MetricSource {
  readonly read: () => MetricValues;
  /** The names of the numbers that may decrease. All others count since the start. */
  readonly gauges: readonly string[];
}

/** Adds a part to the metrics of a server, until the returned function is called. Sources of the same part are added up. */
export function addMetrics(
  server: ServerState,
  part: string,
  read: () => MetricValues,
  gauges: readonly string[] = [],
): () => void {
  server.metricSources ??= new Map();
  const sources = server.metricSources.get(part) ?? new Set();
  const source = { read, gauges };
  sources.add(source);
  server.metricSources.set(part, sources);
  server.observers?.measured(server, part);
  return () => sources.delete(source);
}

/** The numbers of one part. */
export function readPart(sources: Iterable<MetricSource>): MetricValues {
  const sums: Record<string, number> = {};
  for (const { read } of sources) {
    for (const [name, value] of Object.entries(read())) sums[name] = (sums[name] ?? 0) + value;
  }
  return sums;
}
