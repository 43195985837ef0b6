import type { RecordFields } from "../store.ts";

/**
 * Reads a reply that consists of names and values. Libraries return a flat list, an object or a map, and valkey-glide a
 * list of pairs. `Object.fromEntries` creates a property also for the name "__proto__".
 */
export function fieldsOf(reply: unknown): RecordFields {
  if (reply instanceof Map) return Object.fromEntries(reply);
  if (!Array.isArray(reply)) return Object.fromEntries(Object.entries(reply ?? {}));
  const pairs: [string, string][] = [];
  if (typeof reply[0] === "object" && reply[0] !== null && "value" in reply[0]) {
    for (const { key, value } of reply) pairs.push([String(key), String(value)]);
  } else {
    for (let at = 0; at < reply.length; at += 2) pairs.push([String(reply[at]), String(reply[at + 1])]);
  }
  return Object.fromEntries(pairs);
}

/** Combines names and the values of a reply, without those that are missing. */
export function namedFields(names: readonly string[], values: readonly unknown[]): RecordFields {
  const pairs: [string, string][] = [];
  for (const [index, name] of names.entries()) {
    const value = values[index];
    if (value !== null && value !== undefined) pairs.push([name, String(value)]);
  }
  return Object.fromEntries(pairs);
}
