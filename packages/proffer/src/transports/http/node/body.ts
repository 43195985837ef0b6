import { isAscii, isUtf8 } from "node:buffer";
import type { ServerResponse } from "node:http";
import { RpcError } from "../../../protocol/errors.ts";
import { room } from "../../../support/room.ts";
import { HttpError, notUtf8Error, tooLargeError } from "../http-error.ts";
import { type UnreadResponse, unreadResponses } from "./unread.ts";

/**
 * Writes the whole body and ends the response. `end(body)` writes an empty chunk after the body, and two chunks need a
 * `writev`, which costs 3 µs (`echo` and `template500` in the benchmark).
 */
export function endWith(response: ServerResponse, body: string, encoding: "latin1" | "utf8"): void {
  // Over HTTP/2, the response has a stream instead of a socket.
  const socket = !("stream" in response) && response.socket;
  if (!socket) {
    response.end(body, encoding);
    return;
  }
  // An uncorked socket would be corked by Node until the next tick, and `end` would find the body unwritten.
  socket.cork();
  response.write(body, encoding);
  socket.uncork();
  response.end();
}

export function toBytes(part: string | Uint8Array, length: number): Uint8Array {
  return typeof part === "string" ? Buffer.from(part, encodingOf(part, length)) : part;
}

/** The encoding for a text with that many UTF-8 bytes: pure ASCII is copied as latin1, which is faster. */
export function encodingOf(text: string, bytes: number): "latin1" | "utf8" {
  return bytes === text.length ? "latin1" : "utf8";
}

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

/** A larger body is written in slices of this size. */
export const SLICE = 256 * 1024;

/** Replaces a written slice, so that its memory can be freed before the client has taken the rest. */
const WRITTEN = new Uint8Array();

/**
 * The rest of a body that is larger than a slice. The next slice is written when the client has taken the one before:
 * the progress of a single large write would not be visible.
 */
export class LargeBody {
  readonly #unread: UnreadResponse;
  readonly #slices: Uint8Array[];
  #at = 0;

  constructor(unread: UnreadResponse, parts: readonly Uint8Array[]) {
    this.#unread = unread;
    this.#slices = parts.flatMap(toSlices);
  }

  /** Writes slices for as long as the client takes them, and continues when it has taken them. */
  send(): void {
    const { response } = this.#unread;
    this.#unread.queued = this.#slices.reduce((sum, slice) => sum + slice.length, 0);
    this.#write(response);
    if (response.writableLength === 0) return;
    unreadResponses.add(this.#unread);
    response.on("drain", () => {
      if (!response.writableEnded) this.#write(response);
      this.#count();
    });
    response.once("close", () => this.#count());
  }

  #count(): void {
    unreadResponses.update(this.#unread);
    if (room.waiting > 0) room.admit();
  }

  #write(response: ServerResponse): void {
    while (this.#at < this.#slices.length) {
      response.cork();
      for (let size = 0; size < SLICE && this.#at < this.#slices.length; ) size += this.#writeNext(response);
      response.uncork();
      if (response.writableLength > 0 && this.#at < this.#slices.length) return;
    }
    response.end();
  }

  #writeNext(response: ServerResponse): number {
    const slice = this.#slices[this.#at] as Uint8Array;
    this.#slices[this.#at++] = WRITTEN;
    response.write(slice);
    this.#unread.queued -= slice.length;
    return slice.length;
  }
}

function toSlices(part: Uint8Array): Uint8Array[] {
  const slices = [];
  for (let at = 0; at < part.length; at += SLICE) slices.push(part.subarray(at, at + SLICE));
  return slices;
}
