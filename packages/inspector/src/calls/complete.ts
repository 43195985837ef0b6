import type { Connected } from "../connections/connected.ts";
import type { Api } from "../protocol/api.ts";
import { isObject } from "../support/values.ts";

/** The protocol permits at most this many values. */
const MAX_VALUES = 100;

/**
 * Asks the server for the completions of an argument. Most servers have none for most arguments, and some say so with an
 * error: the wire shows it, and the field has no suggestions.
 */
export async function completeArgument(
  { client }: Connected,
  { ref, name, value, known }: Omit<Api["complete"]["in"], "revision">,
): Promise<Api["complete"]["out"]> {
  const context = known === undefined ? {} : { context: { arguments: known } };
  const params = { ref, argument: { name, value }, ...context };
  const { completion } = await client
    .requestOnce("completion/complete", params)
    .catch(() => ({ completion: undefined }));
  const { values, total, hasMore } = isObject(completion) ? completion : {};
  const texts = Array.isArray(values) ? values.filter((each) => typeof each === "string") : [];
  return {
    values: texts.slice(0, MAX_VALUES),
    ...(typeof total === "number" && { total }),
    ...(typeof hasMore === "boolean" && { hasMore }),
  };
}
