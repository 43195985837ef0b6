import { RpcError } from "../protocol/errors.ts";
import { concat } from "../support/bytes.ts";

/** The default limit for a stream that is collected into one result. */
export const MAX_STREAM_BYTES = 64 * 1024 * 1024;

export type Stream = AsyncIterable<unknown>;

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
