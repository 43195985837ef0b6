import type { Binding } from "proffer/derived";

/**
 * The JSON form of a value by its run-time class, as docs/types.md documents it. It is written independently of the
 * derivation, because results are compared with it.
 */
export function toWire(value: unknown): unknown {
  if (typeof value === "bigint") return String(value);
  if (typeof value !== "object" || value === null) return value;
  if (value instanceof Uint8Array) return Buffer.from(value).toString("base64");
  if (value instanceof ArrayBuffer) return Buffer.from(value).toString("base64");
  if (ArrayBuffer.isView(value) && Symbol.iterator in value) return [...(value as Float64Array)].map(toWire);
  if (value instanceof Error) return { name: value.name, message: value.message };
  if (value instanceof URL) return value.href;
  if (value instanceof Set) return [...value].map(toWire);
  if (value instanceof Map) {
    const pairs = [...value].map(([key, item]) => [toWire(key), toWire(item)]);
    return [...value.keys()].every((key) => typeof key === "string") ? Object.fromEntries(pairs) : pairs;
  }
  if ("toJSON" in value && typeof value.toJSON === "function") return toWire(value.toJSON());
  if (Array.isArray(value)) return Array.from(value, (item) => (item === undefined ? null : toWire(item)));
  const entries = Object.entries(value).filter(
    ([, item]) => !["undefined", "function", "symbol"].includes(typeof item),
  );
  return Object.fromEntries(entries.map(([key, item]) => [key, toWire(item)]));
}

/** Returns the arguments object that a client would send for a list of arguments. */
export function toArguments({ parameters }: Binding, list: readonly unknown[]): Record<string, unknown> {
  const args: Record<string, unknown> = {};
  for (const [index, parameter] of parameters.entries()) {
    if (index >= list.length || parameter.kind === "context") continue;
    if (parameter.kind === "rest") args[parameter.name] = list.slice(index);
    else if (parameter.kind === "argument") args[parameter.name] = list[index];
    else Object.assign(args, list[index]);
  }
  return toWire(args) as Record<string, unknown>;
}

/** Returns a copy of plain data without undefined properties and trailing undefined elements, to compare values. */
export function withoutUndefined(value: unknown): unknown {
  if (Array.isArray(value)) {
    const items = Array.from(value, withoutUndefined);
    while (items.length > 0 && items.at(-1) === undefined) items.pop();
    return items;
  }
  if (typeof value !== "object" || value === null || Object.getPrototypeOf(value) !== Object.prototype) return value;
  const entries = Object.entries(value).filter(([, item]) => item !== undefined);
  return Object.fromEntries(entries.map(([key, item]) => [key, withoutUndefined(item)]));
}
