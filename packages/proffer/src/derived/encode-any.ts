import { kindOf } from "../results/content.ts";
import { isStream } from "../results/return-value.ts";
import { toBase64 } from "../support/bytes.ts";
import { isError } from "../support/objects.ts";
import { atKey, CodecError } from "./codec-text.ts";

/** Deeper than any data; the stack has room for more. */
const MAX_DEPTH = 500;

type Encode = (value: unknown, ancestors: object[]) => unknown;

/**
 * Converts a value to JSON by its class at run time, for the parts of a result whose type does not say the class. Copies
 * only the parts that change. Functions and symbols are left to `JSON.stringify`, which omits them.
 * @throws {CodecError} for a cycle, a promise, or a value that is nested too deep.
 */
export function encodeAny(value: unknown): unknown {
  return encodeValue(value, []);
}

/** Encodes an error. Its stack, its cause and other properties may contain secrets, such as the headers of a request. */
export function encodeError({ name, message }: Error): { name: string; message: string } {
  return { name: String(name), message: String(message) };
}

/** Whether a value says itself how it is written, as `JSON.stringify` understands it. */
export function hasToJson(value: unknown): value is { toJSON(): unknown } {
  return typeof value === "object" && value !== null && typeof (value as { toJSON?: unknown }).toJSON === "function";
}

/**
 * Returns what `JSON.stringify` would write in place of a value: a copy of its properties, which a plan makes, would have
 * those that its `toJSON` leaves out. An error is never asked, because it often writes the request with its headers.
 */
export function asWritten(value: unknown): unknown {
  if (isError(value)) return encodeError(value);
  return hasToJson(value) ? value.toJSON() : value;
}

function encodeValue(value: unknown, ancestors: object[]): unknown {
  if (typeof value === "bigint") return String(value);
  if (typeof value !== "object" || value === null) return value;
  if (value instanceof Uint8Array) return toBase64(value);
  const written = asWritten(value);
  // Like JSON.stringify, do not call `toJSON` of its own result, which may be the object itself.
  if (typeof written === "object" && written !== null)
    return isError(written) ? encodeError(written) : encodeObject(written, ancestors);
  return typeof written === "bigint" ? String(written) : written;
}

function encodeObject(value: object, ancestors: object[]): unknown {
  if (ancestors.includes(value)) throw new CodecError("is a cycle: it refers to an object that contains it");
  if (ancestors.length >= MAX_DEPTH) throw new CodecError(`is nested more than ${MAX_DEPTH} levels deep`);
  ancestors.push(value);
  const encoded = encodeMembers(value, ancestors);
  ancestors.pop();
  return encoded;
}

function encodeMembers(value: object, ancestors: object[]): unknown {
  if (Array.isArray(value)) return encodeList(value, ancestors);
  const prototype: unknown = Object.getPrototypeOf(value);
  if (prototype !== Object.prototype && prototype !== null) {
    const encode = classOf(value);
    if (encode !== undefined) return encode(value, ancestors);
  }
  // Content, which the run-time interprets.
  if (kindOf(value) !== undefined || isStream(value)) return value;
  return encodeProperties(value as Record<string, unknown>, ancestors);
}

/** Returns how to encode an instance of a class of the platform; undefined for any other object. */
function classOf(value: object): Encode | undefined {
  if (value instanceof Map) return encodeMap as Encode;
  if (value instanceof Set) return (set, ancestors) => encodeList([...(set as Set<unknown>)], ancestors);
  if (value instanceof RegExp) return String;
  if (ArrayBuffer.isView(value) || isBuffer(value)) return encodeBinary as Encode;
  if (value instanceof Promise) throw new CodecError("is a promise; await it before you return it");
  return undefined;
}

function encodeMap(map: Map<unknown, unknown>, ancestors: object[]): unknown {
  const keys = [...map.keys()];
  if (!keys.every((key) => typeof key === "string")) {
    return encodeList([...map], ancestors);
  }
  // Unlike assignment, Object.fromEntries makes __proto__ an ordinary key.
  return encodeProperties(Object.fromEntries(map), ancestors);
}

function encodeList(list: unknown[], ancestors: object[]): unknown[] {
  let copy: unknown[] | undefined;
  for (let index = 0; index < list.length; index++) {
    const encoded = encodeAt(index, list[index], ancestors);
    if (Object.is(encoded, list[index])) continue;
    copy ??= [...list];
    copy[index] = encoded;
  }
  return copy ?? list;
}

function encodeProperties(value: Record<string, unknown>, ancestors: object[]): Record<string, unknown> {
  let copy: Record<string, unknown> | undefined;
  for (const key of Object.keys(value)) {
    const own = value[key];
    const encoded = encodeAt(key, own, ancestors);
    if (Object.is(encoded, own)) continue;
    // A spread defines own properties, so a key named __proto__ stays an ordinary key.
    copy ??= { ...value };
    copy[key] = encoded;
  }
  return copy ?? value;
}

function encodeAt(key: string | number, value: unknown, ancestors: object[]): unknown {
  try {
    return encodeValue(value, ancestors);
  } catch (error) {
    throw atKey(error, key);
  }
}

/** Encodes bytes as base64, and the numbers of any other typed array as an array. */
function encodeBinary(value: ArrayBufferLike | ArrayBufferView): unknown {
  if (!ArrayBuffer.isView(value)) return toBase64(new Uint8Array(value));
  if (value instanceof DataView || value instanceof Uint8ClampedArray) {
    return toBase64(new Uint8Array(value.buffer, value.byteOffset, value.byteLength));
  }
  return Array.from(value as unknown as ArrayLike<unknown>, (item) => (typeof item === "bigint" ? String(item) : item));
}

/** Whether a value is a buffer. Browsers without cross-origin isolation have no SharedArrayBuffer. */
function isBuffer(value: object): boolean {
  return value instanceof ArrayBuffer || Object.prototype.toString.call(value) === "[object SharedArrayBuffer]";
}
