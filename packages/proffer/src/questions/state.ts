import type { Call } from "../calls/call.ts";
import { InvalidParams } from "../protocol/errors.ts";
import { toCanonical } from "../schema/json-schema/equality.ts";
import { whenReady } from "../support/when-ready.ts";
import type { InputMethod } from "./question.ts";
import { ReplayLog } from "./replay-log.ts";

/** A question that was sent and whose answer is still to come. */
export interface Outstanding {
  /** Its name on the wire. */
  readonly key: string;
  /** Which question of the handler it is. */
  readonly operation: string;
  readonly method: InputMethod;
  /** The JSON of what a form's content must fit. */
  readonly schema: string | undefined;
}

/** What travels between two rounds of a call, sealed: all that the server would otherwise have to remember. */
export interface RoundState {
  /** Names the call for as long as it goes on. */
  readonly id: string;
  readonly round: number;
  /** Milliseconds since 1970. */
  readonly expires: number;
  readonly outstanding: readonly Outstanding[];
  readonly known: ReplayLog;
}

/** A state larger than this is not sent: the client would have to carry it. */
const MAX_STATE_LENGTH = 256 * 1024;

/** Seals the state for this caller, this method and these arguments. */
export function sealState(call: Call, state: RoundState): string | Promise<string> {
  const payload = write(state);
  if (payload.length > MAX_STATE_LENGTH) {
    throw new Error(
      `the answers and step results of this call are larger than ${MAX_STATE_LENGTH} characters; keep less in them`,
    );
  }
  return call.server.sealer.seal("state", payload, boundTo(call));
}

/** Opens a state that a client sent back. @throws {InvalidParams} with one text for whatever is wrong with it. */
export function openState(call: Call, token: unknown): RoundState | Promise<RoundState> {
  if (typeof token !== "string" || token.length > 2 * MAX_STATE_LENGTH) throw unusable();
  return whenReady(call.server.sealer.open("state", token, boundTo(call)), (payload) => {
    // What opens was sealed by this server or one that shares its key: only its age is in question.
    const state = payload === undefined ? undefined : read(payload);
    if (state === undefined || !(state.expires > Date.now())) throw unusable();
    return state;
  });
}

/**
 * Lines of cells: the first of the call, then one for each outstanding question and one for each thing that is known.
 * Cells are words or JSON, in which there is no tab and no end of a line.
 */
function write({ id, round, expires, outstanding, known }: RoundState): string {
  let lines = `${id}\t${round}\t${expires}\t${outstanding.length}\t${known.answers}`;
  for (const { key, operation, method, schema = "" } of outstanding) {
    lines += `\n${JSON.stringify(key)}\t${operation}\t${method}\t${schema}`;
  }
  return lines + known.text;
}

function read(payload: string): RoundState {
  let end = -1;
  const nextCells = (): string[] => {
    const start = end + 1;
    end = payload.indexOf("\n", start);
    if (end < 0) end = payload.length;
    return payload.slice(start, end).split("\t");
  };
  const [id = "", round, expires, questions, answers] = nextCells();
  const outstanding: Outstanding[] = [];
  while (outstanding.length < Number(questions)) {
    const [key, operation, method, schema] = nextCells() as [string, string, InputMethod, string];
    outstanding.push({ key: JSON.parse(key), operation, method, schema: schema === "" ? undefined : schema });
  }
  const known = new ReplayLog(payload.slice(end), Number(answers));
  return { id, round: Number(round), expires: Number(expires), outstanding, known };
}

function unusable(): InvalidParams {
  return new InvalidParams(
    "params.requestState is not a state of this request, or it has expired; send the request again without it.",
  );
}

/** Everything that must be the same when the state comes back; clients may write the same arguments in another order. */
function boundTo(call: Call): string {
  const { name, uri, arguments: given } = call.params;
  const caller = call.origin.principal?.id ?? null;
  return JSON.stringify([call.server.info.name, caller, call.method, name ?? uri ?? null]) + toCanonical(given ?? null);
}
