import assert from "node:assert/strict";
import fc from "fast-check";
import { RpcError } from "../packages/proffer/src/protocol/errors.ts";
import { StdioInput } from "../packages/proffer/src/transports/stdio/input.ts";
import type { Target } from "./target.ts";

/** Small, so that random messages exceed it. */
const MAX_BYTES = 120;

const json = fc.jsonValue().map((value) => JSON.stringify({ value }));
const junk = fc.oneof(
  fc.string({ unit: "binary" }),
  fc.constantFrom("\n", "\r\n", "\r", " ", "\t", "\u0000", "\ufeff", "c", "content-", "Content-Length", ":", "{", "é"),
  fc.constantFrom("Content-Length: 3\r\n\r\n", "Content-Length: -1\r\n\r\n", "Content-Length: 3\n\n", "X: y\r\n"),
  fc.constantFrom("x".repeat(MAX_BYTES), "x".repeat(MAX_BYTES + 1), "é".repeat(MAX_BYTES / 2)),
);
const line = fc.tuple(json, fc.constantFrom("\n", "\r\n")).map((parts) => parts.join(""));
const framed = fc
  .tuple(json, fc.integer({ min: -1, max: 1 }))
  .map(([body, off]) => `Content-Length: ${Buffer.byteLength(body) + off * (off === 0 ? 0 : 1)}\r\n\r\n${body}`);
const exact = json.map((body) => `Content-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`);
const stream = fc.oneof(
  fc.array(fc.oneof({ weight: 4, arbitrary: line }, { weight: 1, arbitrary: junk }), { maxLength: 12 }),
  fc.array(
    fc.oneof({ weight: 6, arbitrary: exact }, { weight: 1, arbitrary: framed }, { weight: 1, arbitrary: junk }),
    {
      maxLength: 12,
    },
  ),
);

/** Splits a random stream at random places, also within a character: the messages must be the same as in one piece. */
export const framing: Target = {
  name: "framing",
  runs: 500,
  open() {
    const property = fc.property(stream, fc.array(fc.nat(), { maxLength: 30 }), (parts, places) => {
      const bytes = Buffer.from(parts.join(""));
      const whole = read([bytes]);
      assert.deepEqual(read(cut(bytes, places)), whole);
      assert.deepEqual(read([...bytes].map((byte) => Buffer.of(byte))), whole);
      const lines = parts.join("").split("\n");
      const isPlain = !parts.join("").trimStart().toLowerCase().startsWith("content-");
      if (isPlain) assert.ok(whole.length <= lines.length, "at most one message for each line");
    });
    return { property };
  },
};

/** The messages in some chunks; an error as its kind. */
function read(chunks: readonly Buffer[]): string[] {
  const input = new StdioInput(MAX_BYTES);
  const items: string[] = [];
  const take = () => {
    for (let item = input.next(); item !== undefined; item = input.next()) {
      items.push(item instanceof RpcError ? `! ${item.kind}: ${item.message}` : item);
    }
  };
  for (const chunk of chunks) {
    if (input.broken) break;
    input.push(chunk);
    take();
  }
  if (!input.broken) input.end();
  take();
  return items;
}

/** Cuts bytes at the given positions. */
function cut(bytes: Buffer, places: readonly number[]): Buffer[] {
  const sorted = [0, ...places.map((place) => place % (bytes.length + 1)).sort((a, b) => a - b), bytes.length];
  return sorted.slice(1).map((end, index) => bytes.subarray(sorted[index], end));
}
