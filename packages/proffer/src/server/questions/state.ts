import { InvalidParams } from "../../protocol/errors.ts";
import { isObject, type JsonObject } from "../../protocol/messages.ts";
import { after } from "../after.ts";
import type { Call } from "../call.ts";
import type { JsonSchemaObject } from "../json-schema/types.ts";
import type { InputMethod } from "./question.ts";

/** A question that was sent and whose answer is still to come. */
export interface Outstanding {
  /** Which question of the handler it is. */
  readonly operation: string;
  readonly method: InputMethod;
  readonly schema?: JsonSchemaObject;
}

/** What travels between two rounds of a call, sealed: all that the server would otherwise have to remember. */
export interface RoundState {
  /** Names the call for as long as it goes on. */
  readonly id: string;
  readonly round: number;
  /** Milliseconds since 1970. */
  readonly expires: number;
  /** Answers and results of steps, by operation; a list of none stands for undefined, which JSON does not have. */
  readonly known: { readonly [operation: string]: readonly unknown[] };
  /** By their keys on the wire. */
  readonly outstanding: { readonly [key: string]: Outstanding };
}

/** A state larger than this is not sent: the client would have to carry it. */
const MAX_STATE_LENGTH = 256 * 1024;

/** Seals the state for this caller, this method and these arguments. */
export function sealState(call: Call, state: RoundState): string | Promise<string> {
  const payload = JSON.stringify(state);
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
    const state: unknown = payload === undefined ? undefined : JSON.parse(payload);
    // What opens was sealed by this server or one that shares its key: only its age is in question.
    if (!isObject(state) || !(Number(state.expires) > Date.now())) throw unusable();
    return state as unknown as RoundState;
  });
}

function unusable(): InvalidParams {
  return new InvalidParams(
    "params.requestState is not a state of this request, or it has expired; send the request again without it.",
  );
}

/** Everything that must be the same when the state comes back. */
function boundTo(call: Call): string {
  const { name, uri, arguments: given } = call.params;
  return canonical([
    call.server.info.name,
    call.origin.principal?.id ?? null,
    call.method,
    name ?? uri ?? null,
    given ?? null,
  ]);
}

/** JSON with sorted keys: clients may write the same arguments in another order. */
function canonical(value: unknown): string {
  return JSON.stringify(value, (_key, item: unknown) => (isObject(item) ? sorted(item) : item));
}

function sorted(value: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(value).sort(([left], [right]) => (left < right ? -1 : 1)));
}
