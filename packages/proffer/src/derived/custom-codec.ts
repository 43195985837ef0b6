import { RpcError } from "../protocol/errors.ts";
import { ToolError } from "../results/content.ts";
import { type CodecOptions, codecOptions } from "../schema/custom-codec.ts";
import { CodecError } from "./codec-text.ts";
import type { Module } from "./load.ts";
import type { Binding, CustomPlan } from "./manifest.ts";

/** The JSON types of a value; `integer` is not among them. */
type JsonType = NonNullable<CustomPlan["types"]>[number];

/** The linked bindings. A module can be evaluated again and share its manifest with the earlier namespace. */
const linked = new WeakMap<Binding, { readonly module: Module; readonly binding: Binding }>();

/**
 * Returns the binding with the module's codecs in place of their names. Plans are JSON, so that a manifest can be read
 * before the module is imported.
 */
export function linkCodecs(binding: Binding, module: Module): Binding {
  const { decode, result } = binding;
  if (decode?.custom !== true && result.encode?.custom !== true) return binding;
  const known = linked.get(binding);
  if (known?.module === module) return known.binding;
  const found: Binding = {
    ...binding,
    ...(decode && { decode: linkPlans(decode, module) }),
    result: { ...result, ...(result.encode && { encode: linkPlans(result.encode, module) }) },
  };
  linked.set(binding, { module, binding: found });
  return found;
}

function linkPlans<Plans>(plans: Plans, module: Module): Plans {
  return JSON.parse(JSON.stringify(plans), (_key, value) => {
    if (value?.kind !== "custom") return value;
    const codec = Object.hasOwn(module, value.codec) ? codecOptions(module[value.codec]) : undefined;
    if (codec === undefined) throw mismatch(`${value.codec} is not a codec`);
    return { ...value, codec };
  });
}

/** Whether a JSON value has the type of the plan's JSON form. */
export function isCustomForm({ types }: CustomPlan, value: unknown): boolean {
  return types === undefined || types.includes(jsonTypeOf(value));
}

/** Whether `is` of the codec recognizes a value of the author's function; undefined if the codec has no `is`. */
export function isCustomValue(plan: CustomPlan, value: unknown): boolean | undefined {
  const { is } = optionsOf(plan);
  return is && run(plan, "is", () => is(value)) === true;
}

/** @throws {CodecError} if the codec rejects the value. */
export function decodeCustom(plan: CustomPlan, json: unknown): unknown {
  const { decode } = optionsOf(plan);
  let value: unknown;
  try {
    value = decode(json);
  } catch (error) {
    const isForClients = error instanceof ToolError || error instanceof RpcError;
    throw new CodecError(isForClients ? error.message : `must be a valid ${plan.name}`, { cause: error });
  }
  return settled(plan, "decode", value);
}

/** @throws {CodecError} if the codec fails. */
export function encodeCustom(plan: CustomPlan, value: unknown): unknown {
  const { encode } = optionsOf(plan);
  return run(plan, "encode", () => encode(value));
}

function run(plan: CustomPlan, name: string, hook: () => unknown): unknown {
  let result: unknown;
  try {
    result = hook();
  } catch (cause) {
    throw new CodecError(`could not be written as JSON, because ${name} of the codec of ${plan.name} threw`, { cause });
  }
  return settled(plan, name, result);
}

/** Rejects a promise: the plan continues at once. */
function settled(plan: CustomPlan, name: string, result: unknown): unknown {
  if (typeof (result as { then?: unknown } | null | undefined)?.then !== "function") return result;
  // Its rejection must not end the process.
  Promise.resolve(result).catch(() => undefined);
  throw new TypeError(`${name} of the codec of ${plan.name} returned a promise, but codecs must be synchronous.`);
}

function optionsOf({ codec, name }: CustomPlan): CodecOptions<unknown, unknown> {
  if (typeof codec === "string") throw new TypeError(`The codec of ${name} is not linked.`);
  return codec;
}

/** Returns the error for a module that is not the one that its manifest describes. */
export function mismatch(problem: string): RpcError {
  return new RpcError("internal_error", "The module does not match its manifest.", {
    cause: new TypeError(`${problem}; build the module again`),
  });
}

function jsonTypeOf(value: unknown): JsonType {
  if (value === null) return "null";
  return Array.isArray(value) ? "array" : (typeof value as JsonType);
}
