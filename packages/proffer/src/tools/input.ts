import type { Call } from "../calls/call.ts";
import { type JsonObject, valueAt } from "../protocol/messages.ts";
import { coerceArguments } from "../schema/json-schema/coerce.ts";
import { ValidationError } from "../schema/schema.ts";
import { validate } from "../schema/validate.ts";
import type { Tool } from "./define.ts";

/** Validates the arguments of a call, and once more with converted strings if they are invalid. */
export function parseArguments(call: Call, tool: Tool, sent: JsonObject): unknown {
  try {
    const input = validate(tool.input, sent);
    return input instanceof Promise ? input.catch((error) => parseLeniently(call, tool, sent, error)) : input;
  } catch (error) {
    return parseLeniently(call, tool, sent, error);
  }
}

/**
 * Validates the arguments again after converting strings such as "1" and "true", which many clients send. The call keeps
 * the arguments as sent, for middleware, states and headers. @throws the first error if they are still invalid.
 */
function parseLeniently(call: Call, tool: Tool, sent: JsonObject, error: unknown): unknown {
  const { options, limits } = call.server;
  if (!(error instanceof ValidationError) || !(tool.coerce ?? options.coerce ?? true)) throw error;
  const converted = coerceArguments(tool.input.json, sent, limits.messageItems);
  if (converted === sent || tool.headerParams.some(({ path }) => isNew(path, sent, converted))) throw error;
  const fail = (second: unknown) => {
    throw second instanceof ValidationError ? error : second;
  };
  try {
    const input = validate(tool.input, converted);
    return input instanceof Promise ? input.catch(fail) : input;
  } catch (second) {
    return fail(second);
  }
}

/**
 * Whether a mirrored argument exists only after the conversion. In the text of an object, a client could hide it from a
 * proxy that authorizes by the header: arguments are compared with headers as sent.
 */
function isNew(path: readonly string[], sent: unknown, converted: unknown): boolean {
  return valueAt(sent, path) === undefined && valueAt(converted, path) !== undefined;
}
