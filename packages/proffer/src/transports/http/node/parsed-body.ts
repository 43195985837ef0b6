import { isAscii, isUtf8 } from "node:buffer";
import { RpcError } from "../../../protocol/errors.ts";
import { HttpError, notUtf8Error, tooLargeError } from "../http-error.ts";

/** Reported instead of waiting indefinitely for a body that was already read and is not available. */
const BODY_GONE =
  "The body was read before the request reached the MCP handler. Mount the handler before the code that reads it, or pass the parsed body: handler(request, response, body).";

const NOT_JSON =
  "The body was parsed before the request reached the MCP handler, and the parsed value cannot be written as JSON. Pass the value as JSON.parse returns it.";

/**
 * Returns the text of a body that a framework has read: a string or bytes as they are, any other value as JSON. The text
 * then takes the same path as a body from the network.
 */
export function textOfParsed(body: unknown, maxBytes: number): string | HttpError {
  if (body === undefined) return internalError(BODY_GONE);
  if (body instanceof Uint8Array) {
    if (body.length > maxBytes) return tooLargeError(maxBytes);
    return textOf(Buffer.from(body.buffer, body.byteOffset, body.length));
  }
  const text = typeof body === "string" ? body : serialize(body);
  if (typeof text === "string" && Buffer.byteLength(text) > maxBytes) return tooLargeError(maxBytes);
  return text;
}

/** Decodes bytes as UTF-8. */
export function textOf(bytes: Buffer): string | HttpError {
  if (isAscii(bytes)) return bytes.toString("latin1");
  return isUtf8(bytes) ? bytes.toString("utf8") : notUtf8Error();
}

function serialize(body: unknown): string | HttpError {
  try {
    return JSON.stringify(body) ?? internalError(NOT_JSON);
  } catch (error) {
    // JSON.parse accepts a nesting that exhausts the stack here, so the client can cause this one.
    if (error instanceof RangeError) return new HttpError(400, "The message is nested too deep.");
    return internalError(NOT_JSON);
  }
}

function internalError(message: string): HttpError {
  return new HttpError(500, new RpcError("internal_error", message));
}
