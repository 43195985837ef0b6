import assert from "node:assert/strict";
import net from "node:net";
import fc from "fast-check";
import { defineServer, defineTool } from "proffer";
import { serveHttp } from "proffer/http";
import { modern, modernHeaders, postModern } from "../packages/proffer/test/http/http-client.ts";
import type { Target } from "./target.ts";

const call = modern("tools/call", { name: "echo", arguments: { message: "hi" } });
const body = JSON.stringify(call);
const headers = Object.entries(modernHeaders(call)).map(([name, value]) => `${name}: ${value}`);

const method = fc.constantFrom("POST", "POST", "POST", "GET", "DELETE", "OPTIONS", "HEAD", "PUT", "PRI", "post", "");
const path = fc.oneof(
  fc.constantFrom(
    "/mcp",
    "/mcp",
    "/mcp",
    "/",
    "//mcp",
    "/mcp/../mcp",
    "/%6dcp",
    "/mcp?x",
    "*",
    "http://evil/mcp",
    "/é",
  ),
  fc.string({ unit: "binary-ascii" }),
);
const version = fc.constantFrom("HTTP/1.1", "HTTP/1.1", "HTTP/1.1", "HTTP/1.0", "HTTP/2.0", "HTTP/1.1 ", "");
const name = fc.constantFrom(
  ...[
    "host",
    "origin",
    "content-type",
    "content-length",
    "transfer-encoding",
    "content-encoding",
    "connection",
    "expect",
  ],
  ...[
    "upgrade",
    "accept",
    "mcp-method",
    "mcp-name",
    "mcp-protocol-version",
    "mcp-session-id",
    "last-event-id",
    "x",
    "",
  ],
);
const value = fc.oneof(
  fc.constantFrom("localhost", "evil.com", "null", "application/json", "text/plain", "chunked", "gzip", "0", "1", "-1"),
  fc.constantFrom(
    "keep-alive",
    "close",
    "100-continue",
    "websocket",
    "*/*",
    "tools/call",
    "echo",
    "=?base64?!?=",
    "9e9",
  ),
  fc.constantFrom(
    String(Buffer.byteLength(body)),
    "2026-07-28",
    "2025-11-25",
    "__proto__",
    "x".repeat(20_000),
    "\u0000",
  ),
  fc.string({ unit: "binary" }),
);
const header = fc.tuple(name, fc.constantFrom(": ", ":", " : ", ""), value).map((parts) => parts.join(""));
const content = fc.oneof(
  { weight: 4, arbitrary: fc.constant(body) },
  fc.constantFrom("", "{", "[]", "null", `[${body}]`, `2\r\n{}\r\n0\r\n\r\n`, "0\r\n\r\n", "zz\r\n", "x".repeat(5_000)),
  fc.string({ unit: "binary" }),
);
/** The lines of a request: usually a correct one with some headers added, removed or repeated. */
const request = fc
  .tuple(
    fc.tuple(method, path, version).map((parts) => parts.join(" ")),
    fc.subarray(["host: localhost", ...headers], { minLength: 2 }),
    fc.array(header, { maxLength: 3 }),
    fc.oneof({ weight: 4, arbitrary: fc.constant(true) }, fc.constant(false)),
    content,
    fc.constantFrom("\r\n", "\r\n", "\r\n", "\n"),
  )
  .map(([first, known, more, measured, sent, end]) => {
    const length = measured ? [`content-length: ${Buffer.byteLength(sent)}`] : [];
    return `${[first, ...known, ...more, ...length].join(end)}${end}${end}${sent}`;
  });

/** Sends random requests over a raw connection. Each must be answered or the connection closed, and then one is served. */
export const http: Target = {
  name: "http",
  runs: 100,
  async open() {
    const input = { type: "object", properties: { message: { type: "string" } }, required: ["message"] } as const;
    const tools = [defineTool({ name: "echo", input, handle: ({ message }) => message })];
    const errors: unknown[] = [];
    const log = (entry: { readonly error?: unknown }) => void (entry.error === undefined || errors.push(entry.error));
    const server = defineServer({ name: "s", version: "1", tools, log });
    const service = await serveHttp(server, { port: 0, health: true, maxMessageBytes: 4_000, headersTimeout: 2_000 });
    const requests = fc.array(request, { minLength: 1, maxLength: 3 });
    const property = fc.asyncProperty(requests, fc.array(fc.nat(), { maxLength: 4 }), async (texts, places) => {
      const sent = texts.join("");
      const answer = await exchange(service.port, Buffer.from(sent), places);
      const statuses = [...answer.matchAll(/HTTP\/1\.1 (\d{3}) /g)].map(([, status]) => Number(status));
      const asked = sent.split(/ HTTP\/\d/i).length - 1;
      // Bytes after a body are one more request, which is malformed and ends the connection. 1xx precede an answer.
      assert.ok(statuses.filter((status) => status >= 200).length <= asked + 1, `${statuses} for ${asked} requests`);
      assert.deepEqual(
        statuses.filter((status) => status === 500),
        [],
      );
      assert.deepEqual(errors, []);
      const next = await postModern(service.url, call);
      assert.equal(next.json?.result?.content[0].text, "hi");
    });
    return { property, close: () => service.close() };
  },
};

/** Sends bytes in pieces, ends the sending side, and returns the answer once the server has closed the connection. */
function exchange(port: number, bytes: Buffer, places: readonly number[]): Promise<string> {
  const ends = [...places.map((place) => place % (bytes.length + 1)).sort((a, b) => a - b), bytes.length];
  return new Promise((resolve, reject) => {
    let text = "";
    const socket = net.connect(port, "127.0.0.1", async () => {
      let start = 0;
      for (const end of ends) {
        await new Promise((written) => socket.write(bytes.subarray(start, end), written));
        start = end;
      }
      socket.end();
    });
    socket.setNoDelay(true);
    socket.on("data", (chunk) => {
      text += chunk.toString("latin1");
    });
    socket.on("error", ({ code }: NodeJS.ErrnoException) => {
      if (code !== "ECONNRESET" && code !== "EPIPE") reject(new Error(`the connection failed: ${code}`));
    });
    socket.on("close", () => resolve(text));
  });
}
