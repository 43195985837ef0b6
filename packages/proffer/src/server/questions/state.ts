import { InvalidParams } from "../../protocol/errors.ts";
import { after } from "../after.ts";
import type { Call } from "../call.ts";
import { toCanonical } from "../json-schema/equality.ts";
import type { InputMethod } from "./question.ts";

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
  /**
   * Answers and results of steps as JSON, by operation; none at all stands for undefined. They stay text from round to
   * round: whatever a handler does to the object that it got, the next run gets it as it was.
   */
  readonly known: Map<string, string>;
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
  return after(call.server.sealer.open("state", token, boundTo(call)), (payload) => {
    // What opens was sealed by this server or one that shares its key: only its age is in question.
    const state = payload === undefined ? undefined : read(payload);
    if (state === undefined || !(state.expires > Date.now())) throw unusable();
    return state;
  });
}

/**
 * Lines of cells: the first of the call, then one for each outstanding question and one for all that is known. Cells
 * are words or JSON, in which there is no tab and no end of a line; so nothing is written or parsed that only passes
 * through.
 */
function write({ id, round, expires, outstanding, known }: RoundState): string {
  let lines = `${id}\t${round}\t${expires}\t${outstanding.length}`;
  for (const { key, operation, method, schema = "" } of outstanding) {
    lines += `\n${JSON.stringify(key)}\t${operation}\t${method}\t${schema}`;
  }
  for (const [operation, json] of known) lines += `\n${operation}\t${json}`;
  return lines;
}

function read(payload: string): RoundState {
  const lines = payload.split("\n");
  const [id, round, expires, questions] = (lines[0] as string).split("\t") as [string, string, string, string];
  const firstKnown = 1 + Number(questions);
  const outstanding = lines.slice(1, firstKnown).map((line): Outstanding => {
    const [key, operation, method, schema] = line.split("\t") as [string, string, InputMethod, string];
    return { key: JSON.parse(key), operation, method, schema: schema === "" ? undefined : schema };
  });
  const known = new Map<string, string>();
  for (let at = firstKnown; at < lines.length; at++) {
    const line = lines[at] as string;
    const end = line.indexOf("\t");
    known.set(line.slice(0, end), line.slice(end + 1));
  }
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
  return toCanonical([
    call.server.info.name,
    call.origin.principal?.id ?? null,
    call.method,
    name ?? uri ?? null,
    given ?? null,
  ]);
}
