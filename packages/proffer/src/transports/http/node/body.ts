import type { ServerResponse } from "node:http";
import { streamOf } from "./backlog.ts";

/**
 * Writes the whole body and ends the response. `end(body)` writes an empty chunk after the body, and two chunks need a
 * `writev`, which costs 3 µs (`echo` and `template500` in the benchmark).
 */
export function endWith(response: ServerResponse, body: string, encoding: "latin1" | "utf8"): void {
  const socket = streamOf(response) === undefined && response.socket;
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
