import type { WireLine } from "../../protocol/wire.ts";

/** A message and what belongs to it: its response, later rounds, progress, other messages of its stream. */
export interface Exchange {
  readonly line: WireLine;
  readonly response: WireLine | undefined;
  /** Requests of later rounds of the same call, and requests of the server inside it. */
  readonly parts: readonly Exchange[];
  readonly progress: readonly WireLine[];
  /** Notifications of a stream or a call. */
  readonly notices: readonly WireLine[];
}

interface Building {
  readonly line: WireLine;
  response: WireLine | undefined;
  readonly parts: Building[];
  readonly progress: WireLine[];
  readonly notices: WireLine[];
}

/** Folds the messages of the record, in their order. What belongs to a message that was dropped stands alone. */
export function foldExchanges(lines: readonly WireLine[]): readonly Exchange[] {
  const known = new Map<number, Building>();
  const top: Building[] = [];
  for (const line of lines) {
    const owner = line.re === undefined ? undefined : known.get(line.re);
    if (owner !== undefined && line.kind !== "request") {
      attach(owner, line);
      // What follows may refer to the response, which is the same exchange.
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
  const answers = line.kind === "result" || line.kind === "error";
  if (answers && owner.response === undefined) owner.response = line;
  else if (line.method === "notifications/progress") owner.progress.push(line);
  else owner.notices.push(line);
}

/** All messages of an exchange. */
export function linesOf({ line, response, parts, progress, notices }: Exchange): WireLine[] {
  return [line, ...(response ? [response] : []), ...progress, ...notices, ...parts.flatMap(linesOf)];
}

/** The response that tells how the exchange ended: that of the last round. */
export function outcomeOf({ response, parts, line }: Exchange): WireLine | undefined {
  const rounds = parts.filter((part) => part.line.dir === line.dir);
  const last = rounds.at(-1);
  return last === undefined ? response : outcomeOf(last);
}

export function isFailure(line: WireLine | undefined): boolean {
  if (line === undefined) return false;
  return (
    line.kind === "error" || line.kind === "malformed" || line.status === "isError" || (line.httpStatus ?? 0) >= 400
  );
}

/** Bytes in the direction of the first message, and in the other one. */
export function bytesOf(exchange: Exchange): { readonly there: number; readonly back: number } {
  let there = 0;
  let back = 0;
  for (const { dir, bytes } of linesOf(exchange)) {
    if (dir === exchange.line.dir) there += bytes;
    else back += bytes;
  }
  return { there, back };
}
