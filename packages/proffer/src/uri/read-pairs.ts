import type { Variable } from "./expression.ts";
import type { Pair, Pairs } from "./pairs.ts";
import { countCharacters } from "./percent.ts";
import { addFault, type Reading, readText, setUnknown } from "./reading.ts";

/** Reads `key=value` pairs. Returns false if a value does not match, or a required pair is missing. */
export function readPairs(pairs: Pairs, text: string, reading: Reading): boolean {
  const known = reading.options.decode === false ? pairs.byRawKey : pairs.byKey;
  const map = mapOf(pairs, reading);
  const found = pairs.required === 0 ? undefined : new Set<Pair>();
  for (let at = 0; at < text.length; ) {
    const next = text.indexOf(pairs.separator, at);
    const end = next === -1 ? text.length : next;
    // Slice first: searching for "=" in the whole text would take quadratic time for many keys without a "=".
    const piece = text.slice(at, end);
    at = end + 1;
    if (piece === "") continue;
    const equals = piece.indexOf("=");
    const rawKey = equals === -1 ? piece : piece.slice(0, equals);
    const raw = equals === -1 ? "" : piece.slice(equals + 1);
    if (rawKey === "") {
      addFault(reading, { kind: "empty_key", name: "", value: raw });
      continue;
    }
    const key = readText(reading, rawKey, rawKey);
    const pair = known.get(key);
    if (pair !== undefined && (map === undefined || pair.variable !== map)) {
      if (!readKnown(pair, raw, reading)) return false;
      found?.add(pair);
    } else if (map === undefined) {
      readUnknown(key, raw, reading);
    } else {
      readEntry(map.name, key, raw, reading);
    }
  }
  return found === undefined || pairs.list.every((pair) => !pair.required || found.has(pair));
}

function mapOf(pairs: Pairs, { options }: Reading): Variable | undefined {
  if (options.maps === undefined) return undefined;
  for (const { variable } of pairs.list) {
    if (variable?.explode && options.maps.includes(variable.name)) return variable;
  }
  return undefined;
}

function readKnown({ key, variable, fixed }: Pair, raw: string, reading: Reading): boolean {
  if (variable === undefined) return raw === fixed;
  const { name, prefix, explode } = variable;
  if (prefix !== undefined && countCharacters(raw) > prefix) return false;
  const { values } = reading;
  const value = readText(reading, name, raw);
  const before = values[name];
  if (explode) {
    if (Array.isArray(before)) before.push(value);
    else values[name] = [value];
  } else if (before === undefined || replaces(key, raw, reading)) {
    values[name] = value;
  }
  return true;
}

function readUnknown(key: string, raw: string, reading: Reading): void {
  const value = readText(reading, key, raw);
  if (!reading.unknown.has(key) || replaces(key, raw, reading)) setUnknown(reading, key, value);
}

function readEntry(name: string, key: string, raw: string, reading: Reading): void {
  // The keys come from the client: without a prototype, `__proto__` is an ordinary key.
  reading.values[name] ??= Object.create(null) as Record<string, string>;
  const map = reading.values[name] as Record<string, string>;
  const value = readText(reading, key, raw);
  if (!(key in map) || replaces(key, raw, reading)) map[key] = value;
}

/** Whether a duplicate key replaces the earlier value. Adds a fault if duplicates are errors. */
function replaces(key: string, raw: string, reading: Reading): boolean {
  const { duplicates = "error" } = reading.options;
  if (duplicates === "error") addFault(reading, { kind: "duplicate_key", name: key, value: raw });
  return duplicates === "last";
}
