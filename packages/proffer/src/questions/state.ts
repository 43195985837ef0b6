import type { Call } from "../calls/call.ts";
import { InvalidParams } from "../protocol/errors.ts";
import { toCanonical } from "../schema/json-schema/equality.ts";
import { whenReady } from "../support/async.ts";
import { sealerOf } from "../support/seal.ts";
import type { InputMethod } from "./question.ts";
import { ReplayLog } from "./replay-log.ts";

/** A question that was sent and has no answer yet. */
export interface Outstanding {
  /** Its name on the wire. */
  readonly key: string;
  /** Identifies the question within the handler. */
  readonly operation: string;
  readonly method: InputMethod;
  /** The JSON of the schema that validates the form's content. */
  readonly schema: string | undefined;
}

/** The state of a call between two rounds. The client carries it, sealed, so that the server need not store it. */
export interface RoundState {
  /** Identifies the call through all its rounds. */
  readonly id: string;
  readonly round: number;
  /** Milliseconds since 1970. */
  readonly expires: number;
  readonly outstanding: readonly Outstanding[];
  readonly log: ReplayLog;
}

/** A larger state is not sent, because the client has to carry it. */
const MAX_STATE_LENGTH = 256 * 1024;

/** Seals the state for this caller, this method and these arguments. */
export function sealState(call: Call, state: RoundState): string | Promise<string> {
  const payload = write(state);
  if (payload.length > MAX_STATE_LENGTH) {
    throw new Error(
      `the answers and step results of this call exceed ${MAX_STATE_LENGTH} characters; return less from ctx.step()`,
    );
  }
  return sealerOf(call.server).seal("state", payload, boundTo(call));
}

/** Opens a state that a client sent back. @throws {InvalidParams} with the same message for every defect. */
export function openState(call: Call, token: unknown): RoundState | Promise<RoundState> {
  if (typeof token !== "string" || token.length > 2 * MAX_STATE_LENGTH) throw invalidState();
  return whenReady(sealerOf(call.server).open("state", token, boundTo(call)), (payload) => {
    // A payload that opens was sealed by this server or one that shares its key, so only its age must be checked.
    const state = payload === undefined ? undefined : read(payload);
    if (state === undefined || !(state.expires > Date.now())) throw invalidState();
    return state;
  });
}

/**
 * Writes lines of tab-separated cells: one for the call, one for each outstanding question, then the replay log. Cells
 * are words or JSON, which contain neither tabs nor newlines.
 */
function write({ id, round, expires, outstanding, log }: RoundState): string {
  let lines = `${id}\t${round}\t${expires}\t${outstanding.length}\t${log.answers}`;
  for (const { key, operation, method, schema = "" } of outstanding) {
    lines += `\n${JSON.stringify(key)}\t${operation}\t${method}\t${schema}`;
  }
  return lines + log.text;
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
  const log = new ReplayLog(payload.slice(end), Number(answers));
  return { id, round: Number(round), expires: Number(expires), outstanding, log };
}

function invalidState(): InvalidParams {
  return new InvalidParams(
    "params.requestState is invalid for this request or has expired. Send the request again without it.",
  );
}

/**
 * The parts of the request that must be the same when the state comes back. Arguments are compared in canonical form,
 * because clients may write their properties in another order.
 */
function boundTo(call: Call): string {
  const { name, uri, arguments: given } = call.params;
  const caller = call.origin.principal?.id ?? null;
  return (
    JSON.stringify([call.server.info.name, caller, call.method, call.alias ?? name ?? uri ?? null]) +
    toCanonical(given ?? null)
  );
}
