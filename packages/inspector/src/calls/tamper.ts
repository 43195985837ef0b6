import type { Tampering } from "../protocol/call.ts";
import type { Json, JsonObject } from "../protocol/json.ts";
import { ApiProblem } from "../support/api-problem.ts";
import { isObject } from "../support/values.ts";

/** Changes the parameters of a round as somebody would who carries its state elsewhere. @throws {ApiProblem} */
export function tamper(params: JsonObject, change: Tampering): JsonObject {
  const { requestState } = params;
  if (change === "nothing") return params;
  if (typeof requestState !== "string") {
    const message = "This run carries no state, so there is nothing that a change could break.";
    throw new ApiProblem(400, "no_state", message, "Resend a run that follows a question.");
  }
  if (change === "arguments") return changeArguments(params);
  return change === "state" ? { ...params, requestState: changeCharacter(requestState) } : params;
}

/** Another value of the same kind: the arguments stay valid, only the state does not belong to them. */
function changeArguments(params: JsonObject): JsonObject {
  const { uri, arguments: given } = params;
  if (typeof uri === "string") return { ...params, uri: `${uri}x` };
  const values = isObject(given) ? (given as JsonObject) : {};
  const changed = Object.entries(values).find(([, value]) => ["string", "number", "boolean"].includes(typeof value));
  const [name, value] = changed ?? ["changed", "x"];
  return { ...params, arguments: { ...values, [name]: another(value) } };
}

function another(value: Json): Json {
  if (typeof value === "number") return value + 1;
  return typeof value === "boolean" ? !value : `${value}x`;
}

/** Changes one character in the middle, to one that occurs in states. */
function changeCharacter(state: string): string {
  const at = Math.floor(state.length / 2);
  return `${state.slice(0, at)}${state[at] === "A" ? "B" : "A"}${state.slice(at + 1)}`;
}
