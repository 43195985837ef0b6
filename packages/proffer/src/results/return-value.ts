import { RpcError } from "../protocol/errors.ts";
import { concat } from "../support/bytes.ts";
import { kindOf, type Result } from "./content.ts";

/** Whether a handler's return value must be awaited or read to its end before it can be converted. */
export function isDeferred(value: unknown): boolean {
  if (typeof value !== "object" || value === null) return false;
  if (typeof (value as { then?: unknown }).then === "function" || value instanceof Blob || isStream(value)) return true;
  return kindOf(value) === "result" && isDeferred((value as Result).value);
}

/** Whether a value was created by one of the functions of content.ts. */
export function isMarked(value: unknown): boolean {
  return kindOf(value) !== undefined;
}

/** Serializes a return value as JSON. A bigint is written as a number. */
export function toJson(value: unknown, where: string): string {
  if (typeof value === "bigint") return String(value);
  let json: string | undefined;
  try {
    json = JSON.stringify(value);
  } catch (cause) {
    throw new RpcError("internal_error", `The return value of ${where} cannot be serialized as JSON.`, { cause });
  }
  if (json === undefined) throw unsupportedValue(where, value);
  return json;
}

/** Creates the error for an unsupported return value. Its cause, which describes the value, goes to the log only. */
export function unsupportedValue(where: string, value: unknown, what = describeKind(value)): RpcError {
  return new RpcError("internal_error", `The ${where} returned an unsupported value.`, {
    cause: new TypeError(`${where} returned ${what}; see the return values in docs/tools.md`),
  });
}

export function describeKind(value: unknown): string {
  return `a ${kindOf(value) ?? typeof value}`;
}

/** The default limit for a stream that is collected into one result. */
export const MAX_STREAM_BYTES = 64 * 1024 * 1024;

type Stream = AsyncIterable<unknown>;

export function isStream(value: unknown): value is Stream {
  return typeof value === "object" && value !== null && Symbol.asyncIterator in value;
}

/** Reads a stream to its end: chunks of bytes become bytes, texts become one text, and anything else an array. */
export async function collect(stream: Stream, maxBytes: number): Promise<Uint8Array | string | unknown[]> {
  const items: unknown[] = [];
  let size = 0;
  for await (const item of stream) {
    if (item instanceof Uint8Array || typeof item === "string") size += item.length;
    if (size > maxBytes) throw new RpcError("internal_error", `The result is larger than ${maxBytes} bytes.`);
    items.push(item);
  }
  if (items.length > 0 && items.every((item) => typeof item === "string")) return items.join("");
  if (items.length > 0 && items.every((item) => item instanceof Uint8Array)) return concat(items);
  return items;
}
