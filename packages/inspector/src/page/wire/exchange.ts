import type { WireLine } from "../../protocol/data.ts";

/** A message with its response, later rounds, progress, and other messages of its stream. */
export interface Exchange {
  readonly line: WireLine;
  readonly response: WireLine | undefined;
  /** Requests of later rounds of the same call, and requests of the server inside it. */
  readonly parts: readonly Exchange[];
  readonly progress: readonly WireLine[];
  /** Notifications of a stream or a call. */
  readonly notices: readonly WireLine[];
}

interface Building extends Exchange {
  response: WireLine | undefined;
  readonly parts: Building[];
  readonly progress: WireLine[];
  readonly notices: WireLine[];
}

/** Folds the messages of the record, in their order. A message whose owner was dropped is an exchange, too. */
export function foldExchanges(lines: readonly WireLine[]): readonly Exchange[] {
  const known = new Map<number, Building>();
  const top: Building[] = [];
  for (const line of lines) {
    const owner = line.re === undefined ? undefined : known.get(line.re);
    if (owner !== undefined && line.kind !== "request") {
      attach(owner, line);
      // Later messages may refer to the response, which is the same exchange.
      known.set(line.n, owner);
      continue;
    }
    const exchange: Building = { line, response: undefined, parts: [], progress: [], notices: [] };
    known.set(line.n, exchange);
    (owner?.parts ?? top).push(exchange);
  }
  return top;
}

function attach(owner: Building, line: WireLine): void {
  if (isResponse(line) && owner.response === undefined) owner.response = line;
  else if (line.method === "notifications/progress") owner.progress.push(line);
  else owner.notices.push(line);
}

export function isResponse({ kind }: WireLine): boolean {
  return kind === "result" || kind === "error";
}

/** All messages of an exchange. */
export function linesOf({ line, response, parts, progress, notices }: Exchange): WireLine[] {
  return [line, ...(response ? [response] : []), ...progress, ...notices, ...parts.flatMap(linesOf)];
}

/** The later rounds of an exchange: requests in its direction. */
function roundsOf({ parts, line }: Exchange): readonly Exchange[] {
  return parts.filter((part) => part.line.dir === line.dir);
}

/** The response that ends the exchange: that of the last round. */
export function outcomeOf(exchange: Exchange): WireLine | undefined {
  const last = roundsOf(exchange).at(-1);
  return last === undefined ? exchange.response : outcomeOf(last);
}

export function isFailure(line: WireLine | undefined): boolean {
  if (line === undefined) return false;
  return (
    line.kind === "error" || line.kind === "malformed" || line.status === "isError" || (line.httpStatus ?? 0) >= 400
  );
}

/** Bytes in the direction of the first message, and in the other one. */
function bytesOf(exchange: Exchange): { readonly there: number; readonly back: number } {
  let there = 0;
  let back = 0;
  for (const { dir, bytes } of linesOf(exchange)) {
    if (dir === exchange.line.dir) there += bytes;
    else back += bytes;
  }
  return { there, back };
}

/** A span of time. */
export interface Axis {
  readonly from: number;
  readonly to: number;
}

/** A part of a bar: the server works, a person is asked, or a stream is open. */
export interface Segment extends Axis {
  readonly kind: "server" | "person" | "open";
}

/** When the server worked on an exchange and when it waited for a person. `now` ends an exchange without a response. */
export function segmentsOf(exchange: Exchange, now: number): readonly Segment[] {
  const { line, response, parts } = exchange;
  if (line.kind !== "request") return [{ kind: "server", from: line.at, to: line.at }];
  const end = response?.at ?? now;
  if (line.method === "subscriptions/listen") {
    const ticks = exchange.notices.map(({ at }): Segment => ({ kind: "server", from: at, to: at }));
    return [{ kind: "open", from: line.at, to: end }, ...ticks];
  }
  const asked = parts.filter((part) => part.line.dir !== line.dir);
  const rounds = roundsOf(exchange);
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

/** The time in milliseconds that segments of a kind take. */
export function timeOf(kind: Segment["kind"], segments: readonly Segment[]): number {
  const own = segments.filter((segment) => segment.kind === kind);
  return own.reduce((sum, { from, to }) => sum + Math.max(0, to - from), 0);
}

/** The time that the bars of several rows have in common. */
export function axisOf(rows: readonly (readonly Segment[])[]): Axis {
  const segments = rows.flat();
  const from = segments.reduce((least, segment) => Math.min(least, segment.from), Infinity);
  const to = segments.reduce((most, segment) => Math.max(most, segment.to), -Infinity);
  return from <= to ? { from, to: Math.max(to, from + 1) } : { from: 0, to: 1 };
}

/** The place of a segment on an axis in percent. A moment has a width too, so that it can be seen. */
export function placeOn({ from, to }: Axis, segment: Segment): { readonly x: number; readonly width: number } {
  const percent = (at: number) => ((at - from) / (to - from)) * 100;
  const x = Math.min(percent(segment.from), 99.2);
  return { x, width: Math.max(percent(segment.to) - x, 0.8) };
}

/** One line of the timeline. */
export interface Row {
  /** Stays the same while rows come and go. */
  readonly id: string;
  readonly line: WireLine;
  readonly depth: 0 | 1 | 2;
  readonly label: string;
  readonly status: string;
  readonly failed: boolean;
  readonly there: number;
  readonly back?: number;
  /** Milliseconds; undefined if there is nothing to wait for or it has not ended. */
  readonly ms?: number;
  readonly waitedForPerson: boolean;
  readonly segments: readonly Segment[];
  /** Undefined if there is nothing to open. */
  readonly open?: boolean;
}

/** The rows of exchanges. `opened` has the ids of those that are open. */
export function rowsOf(exchanges: readonly Exchange[], opened: ReadonlySet<string>, now: number): Row[] {
  return exchanges.flatMap((exchange) => {
    const row = exchangeRow(exchange, opened, now);
    return row.open ? [row, ...innerRows(exchange, opened, now)] : [row];
  });
}

function exchangeRow(exchange: Exchange, opened: ReadonlySet<string>, now: number): Row {
  const { line, parts, progress, notices } = exchange;
  const id = String(line.n);
  const rounds = roundsOf(exchange).length + 1;
  const notes = [
    rounds > 1 ? `${rounds} rounds` : "",
    progress.length > 0 ? `progress ×${progress.length}` : "",
    notices.length > 0 ? `${notices.length} more` : "",
  ];
  const folded = parts.length + progress.length + notices.length > 0;
  return {
    ...baseRow(exchange, now),
    id,
    depth: 0,
    label: labelOf(line),
    status: [statusOf(exchange), ...notes].filter(Boolean).join(" · "),
    ...(folded ? { open: opened.has(id) } : {}),
  };
}

function innerRows(exchange: Exchange, opened: ReadonlySet<string>, now: number): Row[] {
  const { parts, progress, notices, response, line } = exchange;
  const first: Exchange = { line, response, parts: [], progress: [], notices: [] };
  const rows: Row[] =
    roundsOf(exchange).length > 0
      ? [{ ...baseRow(first, now), id: `${line.n} round`, depth: 1, label: "round 1" }]
      : [];
  let round = 1;
  for (const part of parts) {
    const label = part.line.dir === line.dir ? `round ${++round}` : labelOf(part.line);
    rows.push({ ...baseRow(part, now), id: String(part.line.n), depth: 1, label });
  }
  const id = `${line.n} progress`;
  if (progress.length > 0) rows.push({ ...foldedRow(progress, opened.has(id)), id });
  const shown = [...(opened.has(id) ? progress : []), ...notices].sort((a, b) => a.n - b.n);
  const deep = new Set(progress);
  rows.push(...shown.map((each): Row => ({ ...lineRow(each), depth: deep.has(each) ? 2 : 1 })));
  return rows;
}

function baseRow(exchange: Exchange, now: number): Omit<Row, "id" | "depth" | "label"> {
  const { line, response } = exchange;
  const segments = segmentsOf(exchange, now);
  const { there, back } = bytesOf(exchange);
  const outcome = outcomeOf(exchange);
  const ended = line.kind === "request" && outcome !== undefined;
  return {
    line,
    status: statusOf(exchange),
    failed: isFailure(outcome ?? response ?? line),
    there,
    ...(line.kind === "request" ? { back } : {}),
    ...(ended
      ? { ms: response === outcome && response?.ms !== undefined ? response.ms : timeOf("server", segments) }
      : {}),
    waitedForPerson: timeOf("person", segments) > 0,
    segments,
  };
}

function foldedRow(lines: readonly WireLine[], open: boolean): Omit<Row, "id"> {
  const [line] = lines as [WireLine];
  const there = lines.reduce((sum, { bytes }) => sum + bytes, 0);
  const segments = lines.map(({ at }) => ({ kind: "server" as const, from: at, to: at }));
  const label = `progress ×${lines.length}`;
  return { line, depth: 1, label, status: "", failed: false, there, waitedForPerson: false, segments, open };
}

function lineRow(line: WireLine): Row {
  return {
    id: String(line.n),
    line,
    depth: 1,
    label: labelOf(line),
    status: line.status ?? line.note ?? "",
    failed: isFailure(line),
    there: line.bytes,
    waitedForPerson: false,
    segments: [{ kind: "server", from: line.at, to: line.at }],
  };
}

function labelOf({ method, about, kind }: WireLine): string {
  return [method ?? kind, about].filter(Boolean).join(" ");
}

function statusOf(exchange: Exchange): string {
  const { line } = exchange;
  const outcome = outcomeOf(exchange);
  const said = outcome ?? line;
  const status = said.status ?? (said.kind === "error" || said.kind === "malformed" ? said.kind : "");
  if (line.kind === "request" && outcome === undefined) return line.status ?? "open";
  const http = (said.httpStatus ?? 200) >= 300 ? `HTTP ${said.httpStatus}` : "";
  return [status, http, said.note ?? ""].filter(Boolean).join(" · ");
}
