import type { Exchange } from "./exchange.ts";

/** A part of a bar: the server works, a person is asked, or a stream is open. */
export interface Segment {
  readonly kind: "server" | "person" | "open";
  readonly from: number;
  readonly to: number;
}

/** When the server worked on an exchange and when it waited for a person. `now` ends what is not answered. */
export function segmentsOf(exchange: Exchange, now: number): readonly Segment[] {
  const { line, response, parts } = exchange;
  if (line.kind !== "request") return [{ kind: "server", from: line.at, to: line.at }];
  const end = response?.at ?? now;
  if (line.method === "subscriptions/listen") {
    const ticks = exchange.notices.map(({ at }): Segment => ({ kind: "server", from: at, to: at }));
    return [{ kind: "open", from: line.at, to: end }, ...ticks];
  }
  const asked = parts.filter((part) => part.line.dir !== line.dir);
  const rounds = parts.filter((part) => part.line.dir === line.dir);
  const segments = around(line.at, end, asked, now);
  let left = response?.at;
  for (const round of rounds) {
    if (left !== undefined) segments.push({ kind: "person", from: left, to: round.line.at });
    segments.push(...segmentsOf(round, now));
    left = round.response?.at;
  }
  const waits = left !== undefined && (rounds.at(-1)?.response ?? response)?.status === "input_required";
  if (waits) segments.push({ kind: "person", from: left as number, to: now });
  return segments;
}

/** Older revisions ask inside the call: the time of each question is a person's. */
function around(from: number, to: number, asked: readonly Exchange[], now: number): Segment[] {
  const segments: Segment[] = [];
  let start = from;
  for (const { line, response } of asked) {
    segments.push({ kind: "server", from: start, to: line.at });
    start = response?.at ?? now;
    segments.push({ kind: "person", from: line.at, to: start });
  }
  segments.push({ kind: "server", from: start, to });
  return segments;
}

export function serverTime(segments: readonly Segment[]): number {
  return total(segments, "server");
}

export function personTime(segments: readonly Segment[]): number {
  return total(segments, "person");
}

function total(segments: readonly Segment[], kind: Segment["kind"]): number {
  return segments.reduce(
    (sum, segment) => sum + (segment.kind === kind ? Math.max(0, segment.to - segment.from) : 0),
    0,
  );
}
