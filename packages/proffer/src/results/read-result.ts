import type { ReadResult } from "../protocol/model.ts";
import { type Contents, kindOf, toContents } from "./content.ts";
import {
  collect,
  describeKind,
  isMarked,
  isStream,
  MAX_STREAM_BYTES,
  toJson,
  unsupportedValue,
} from "./return-value.ts";

/** The properties of a resource that its contents take over. */
export interface ReadShape {
  readonly uri: string;
  readonly mimeType?: string | undefined;
}

/** Converts the return value of a resource to the result of a read. */
export function toReadResult(
  value: unknown,
  shape: ReadShape,
  streamBytes = MAX_STREAM_BYTES,
): ReadResult | Promise<ReadResult> {
  const { uri } = shape;
  if (typeof value === "string" || value === undefined) {
    return { contents: [{ uri, mimeType: shape.mimeType ?? "text/plain", text: value ?? "" }] };
  }
  if (kindOf(value) === "contents") return contentsResult(value as Contents, shape);
  if (kindOf(value) !== undefined) throw unsupportedValue(`resource ${uri}`, value);
  if (Array.isArray(value) && value.some(isMarked)) {
    throw unsupportedValue(`resource ${uri}`, value, `an array that includes ${describeKind(value.find(isMarked))}`);
  }
  if (value instanceof Uint8Array) {
    const mimeType = shape.mimeType ?? "application/octet-stream";
    return { contents: [toContents({ uri, mimeType, blob: value })] };
  }
  if (value instanceof Blob) {
    const mimeType = shape.mimeType ?? (value.type || "application/octet-stream");
    return value.arrayBuffer().then((buffer) => toReadResult(new Uint8Array(buffer), { uri, mimeType }));
  }
  if (isStream(value)) return collect(value, streamBytes).then((whole) => toReadResult(whole, shape));
  const mimeType = shape.mimeType ?? "application/json";
  return { contents: [{ uri, mimeType, text: toJson(value, `resource ${uri}`) }] };
}

/** Converts `contents()`. An item without its own URI or type takes that of the resource. */
function contentsResult(value: Contents, { uri, mimeType }: ReadShape): ReadResult {
  const { list, _meta } = value;
  if (list.length === 0)
    throw unsupportedValue(`resource ${uri}`, value, "an empty list of contents; throw NotFound instead");
  const contents = list.map((item) => {
    if (item.text === undefined && item.blob === undefined) {
      throw unsupportedValue(`resource ${uri}`, value, "contents with neither text nor blob");
    }
    return toContents({ uri, ...(mimeType === undefined ? {} : { mimeType }), ...item });
  });
  return _meta === undefined ? { contents } : { contents, _meta };
}
