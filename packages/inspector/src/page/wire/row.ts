import type { WireLine } from "../../protocol/wire.ts";
import { bytesOf, type Exchange, isFailure, outcomeOf } from "./exchange.ts";
import { personTime, type Segment, segmentsOf, serverTime } from "./segments.ts";

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

/** The rows of exchanges. `opened` has the ids of those that show what belongs to them. */
export function rowsOf(exchanges: readonly Exchange[], opened: ReadonlySet<string>, now: number): Row[] {
  return exchanges.flatMap((exchange) => exchangeRows(exchange, opened, now));
}

function exchangeRows(exchange: Exchange, opened: ReadonlySet<string>, now: number): Row[] {
  const row = exchangeRow(exchange, opened, now);
  return row.open ? [row, ...innerRows(exchange, opened, now)] : [row];
}

function exchangeRow(exchange: Exchange, opened: ReadonlySet<string>, now: number): Row {
  const { line, parts, progress, notices } = exchange;
  const id = String(line.n);
  const rounds = parts.filter((part) => part.line.dir === line.dir).length + 1;
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
  const hasRounds = parts.some((part) => part.line.dir === line.dir);
  const first: Exchange = { line, response, parts: [], progress: [], notices: [] };
  const rows: Row[] = hasRounds ? [{ ...baseRow(first, now), id: `${line.n} round`, depth: 1, label: "round 1" }] : [];
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
    ...(ended ? { ms: response === outcome && response?.ms !== undefined ? response.ms : serverTime(segments) } : {}),
    waitedForPerson: personTime(segments) > 0,
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
