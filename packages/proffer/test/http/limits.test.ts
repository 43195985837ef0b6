import { once } from "node:events";
import net from "node:net";
import { gzipSync } from "node:zlib";
import { defineServer, defineTool, UsageError } from "proffer";
import { type HttpService, serveHttp } from "proffer/http";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { modern, modernHeaders, openSession, post, postModern, present, send, sendRaw } from "./http-client.ts";
import { openWorkshop, type Workshop } from "./workshop.ts";

const LIMIT = 2000;
/** Long runs open more connections. */
const SLOW_SOCKETS = Number(process.env.PROFFER_SOCKETS ?? 999);
const echo = modern("tools/call", { name: "echo", arguments: { message: "hi" } });
let workshop: Workshop;
let service: HttpService;
let url: string;

beforeEach(async () => {
  workshop = openWorkshop();
  service = await serveHttp(workshop.server, { port: 0, legacySse: true, health: true, maxMessageBytes: LIMIT });
  url = service.url;
});

afterEach(async () => {
  workshop.release();
  await service.close();
});

async function stillServes(): Promise<void> {
  expect((await postModern(url, echo)).json.result.content[0].text).toBe("hi");
}

function head(path: string, ...more: string[]): string {
  const headers = Object.entries(present(modernHeaders(echo))).map(([name, value]) => `${name}: ${String(value)}`);
  return [`POST ${path} HTTP/1.1`, "host: localhost", ...headers, ...more, "", ""].join("\r\n");
}

describe("a body", () => {
  it("is rejected if it is truncated, encoded or not JSON, and the next request is served", async () => {
    for (const body of ["", "{", "[1,", "nonsense", '{"a":1}}', "\ufeff{}", '{"jsonrpc":"2.0"']) {
      const { status, json } = await post(url, body, modernHeaders(echo));
      expect({ body, status, code: json.error.code }).toEqual({ body, status: 400, code: -32700 });
    }
    for (const encoding of ["gzip", "br", "deflate", "x", "identity, gzip"]) {
      const body = gzipSync(Buffer.alloc(100_000)).subarray(0, LIMIT);
      const headers = { ...modernHeaders(echo), "content-encoding": encoding };
      expect((await send(url, { method: "POST", headers, body })).status).toBe(415);
    }
    const bytes = Buffer.concat([Buffer.from('{"a":"'), Buffer.from([0xff, 0xfe, 0xc0]), Buffer.from('"}')]);
    const invalid = await send(url, { method: "POST", headers: modernHeaders(echo), body: bytes });
    expect({ status: invalid.status, code: invalid.json.error.code }).toEqual({ status: 400, code: -32700 });
    const socket = net.connect(service.port, "127.0.0.1");
    await once(socket, "connect");
    socket.end(`${head("/mcp", "content-length: 100")}{"jsonrpc"`);
    socket.resume();
    await once(socket, "close");
    await stillServes();
  });

  it("is rejected on every route before it is read if it is too large, and the connection ends", async () => {
    const check = async (route: string) => {
      const chunk = `${(LIMIT + 1).toString(16)}\r\n${"x".repeat(LIMIT + 1)}\r\n`;
      const answers = await Promise.all([
        sendRaw(service.port, head(route, `content-length: ${LIMIT + 1}`), "x"),
        sendRaw(service.port, head(route, "transfer-encoding: chunked"), chunk),
      ]);
      // The other routes reject before they read the body: the session is unknown, or POST is not allowed.
      const expected = route === "/mcp" ? "413" : expect.stringMatching(/^40[45]$/);
      const statuses = answers.map((text) => text.split(" ")[1]);
      expect({ route, statuses }).toEqual({ route, statuses: [expected, expected] });
    };
    await Promise.all(service.routes.map(check));
    await stillServes();
  });

  it("is rejected without internal details if it is too deep or has huge parts", async () => {
    const large = await serveHttp(workshop.server, { port: 0 });
    const deep = (depth: number) =>
      `{"jsonrpc":"2.0","id":1,"method":"x","params":{"a":${"[".repeat(depth)}${"]".repeat(depth)}}}`;
    for (const depth of [65, 1000, 100_000, 200_000]) {
      const { status, json, body } = await post(large.url, deep(depth), modernHeaders(echo));
      expect({ depth, status, code: json.error.code }).toEqual({ depth, status: 400, code: -32600 });
      expect(body).not.toMatch(/RangeError|stack/i);
    }
    const monsters = [
      `{"jsonrpc":"2.0","id":1,"method":"x","params":{"n":${"9".repeat(1_000_000)}}}`,
      `{"jsonrpc":"2.0","id":1,"method":"x","params":{"${"k".repeat(3_000_000)}":1}}`,
      `{"jsonrpc":"2.0","id":1,"method":"x","params":{${Array.from({ length: 300_000 }, (_, at) => `"k${at}":1`).join()}}}`,
      `{"jsonrpc":"2.0","id":1e400,"method":"x"}`,
    ];
    for (const body of monsters) expect((await post(large.url, body, modernHeaders(echo))).status).toBe(400);
    await large.close();
  });

  it("is read by its exact keys, including escaped ones", async () => {
    const body = JSON.stringify(echo);
    for (const key of ["Method", "METHOD", "method\\u0000", "metho\\u0064x"]) {
      const { status } = await post(url, body.replace('"method"', `"${key}"`), modernHeaders(echo));
      expect({ key, status }).toEqual({ key, status: 400 });
    }
    const escaped = await post(url, body.replace('"method"', '"\\u006dethod"'), modernHeaders(echo));
    expect(escaped.status).toBe(200);
    const long = body.replace('"params"', '"paramſ"');
    expect((await post(url, long, modernHeaders(echo))).status).toBe(400);
  });

  it("is rejected if it has a duplicate key", async () => {
    const body = JSON.stringify(echo);
    const doubled = [
      body.replace('"method":', '"method":"tools/list","method":'),
      body.replace('"id":', '"id":2,"id":'),
      body.replace('"name":', '"name":"whoami","name":'),
      body.replace('"_meta":', '"_meta":{},"_meta":'),
      body.replace(
        '"io.modelcontextprotocol/protocolVersion":',
        '"io.modelcontextprotocol/protocolVersion":"x","io.modelcontextprotocol/protocolVersion":',
      ),
      body.replace(
        '"io.modelcontextprotocol/clientCapabilities":',
        '"io.modelcontextprotocol/clientCapabilities":{"sampling":{}},"io.modelcontextprotocol/clientCapabilities":',
      ),
      body.replace('"jsonrpc":', '"jsonrpc":"1.0","jsonrpc":'),
      body.replace('"params":', '"params":{},"params":'),
      body.replace('"arguments":', '"arguments":{},"arguments":'),
      body.replace('"name":', '"\\u006eame":"whoami","name":'),
      body.replace('"arguments":{', '"arguments":{"message":"first",'),
    ];
    expect(doubled).not.toContain(body);
    const session = await openSession(url, "2025-11-25");
    for (const text of doubled) {
      for (const headers of [modernHeaders(echo), session]) {
        const { status, json } = await post(url, text, headers);
        expect({ text, status, code: json?.error.code }).toEqual({ text, status: 400, code: -32600 });
      }
    }
  });
});

describe("a connection", () => {
  it("is answered with 400 and closed on request smuggling", async () => {
    const body = JSON.stringify(echo);
    const requests = [
      `${head("/mcp", `content-length: ${body.length}`, "transfer-encoding: chunked")}0\r\n\r\n`,
      `${head("/mcp", `content-length: ${body.length}`, "content-length: 5")}${body}`,
      `${head("/mcp", "transfer-encoding: xchunked")}0\r\n\r\n`,
      `${head("/mcp", "transfer-encoding: chunked, identity")}0\r\n\r\n`,
      `${head("/mcp", `content-length: ${body.length}`, "x: 1\r\n folded")}${body}`,
      `${head("/mcp", `content-length : ${body.length}`)}${body}`,
      `${head("/mcp", "content-length: +5")}${body}`,
      head("/mcp", `content-length: ${body.length}`).replaceAll("\r\n", "\n") + body,
    ];
    for (const request of requests) {
      const answer = await sendRaw(service.port, request);
      expect({ request, answer }).toEqual({ request, answer: expect.stringMatching(/^HTTP\/1.1 400 /) });
      expect(answer).not.toContain('"result"');
    }
    await stillServes();
  });

  it(`is closed if it sends too slowly, as are ${SLOW_SOCKETS}, while others are served`, async () => {
    const times = { headersTimeout: 1500, requestTimeout: 2500, keepAliveTimeout: 1500 };
    const hasty = await serveHttp(workshop.server, { port: 0, ...times });
    const body = JSON.stringify(echo);
    const whole = `${head("/mcp", `content-length: ${body.length}`)}${body}`;
    // Slow headers, a slow body, and an idle connection after a request that was answered.
    const starts = [whole.slice(0, 20), whole.slice(0, whole.length - body.length), whole];
    let open = SLOW_SOCKETS;
    let answered = 0;
    const sockets = Array.from({ length: SLOW_SOCKETS }, (_, at) => {
      const start = starts[at % starts.length] as string;
      const socket = net.connect(hasty.port, "127.0.0.1");
      socket.write(start);
      socket.on("error", () => {});
      socket.once("data", (data) => {
        if (data.toString("latin1").startsWith("HTTP/1.1 200")) answered++;
      });
      socket.on("close", () => open--);
      return { socket, rest: [...whole.slice(start.length)].values() };
    });
    // Byte by byte: a connection that is not idle must be closed, too.
    const trickle = setInterval(() => {
      for (const { socket, rest } of sockets) {
        const next = rest.next();
        if (!next.done && socket.writable) socket.write(next.value);
      }
    }, 100);
    let served = 0;
    while (open > 0) {
      // A kept connection could be closed for idleness while a busy machine sends the next request.
      expect((await postModern(hasty.url, echo, { connection: "close" })).status).toBe(200);
      served++;
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
    clearInterval(trickle);
    expect(served).toBeGreaterThan(0);
    expect(answered).toBeGreaterThan(0);
    await hasty.close();
  });

  it("is answered with 503 above the connection limit", async () => {
    const small = await serveHttp(workshop.server, { port: 0, maxConnections: 2 });
    const sockets = [net.connect(small.port, "127.0.0.1"), net.connect(small.port, "127.0.0.1")];
    await Promise.all(sockets.map((socket) => once(socket, "connect")));
    expect(await sendRaw(small.port, "")).toMatch(/^HTTP\/1.1 503 /);
    for (const socket of sockets) socket.destroy();
    await expect.poll(async () => (await postModern(small.url, echo).catch(() => undefined))?.status).toBe(200);
    await small.close();
  });
});

describe("a server under load", () => {
  it("counts a tool that continues after its time limit as in flight until it ends", async () => {
    let end: () => void = () => {};
    const hang = defineTool({
      name: "hang",
      timeout: 10,
      handle: () => new Promise<string>((resolve) => (end = () => resolve("late"))),
    });
    const server = defineServer({ name: "hang", version: "1.0.0", tools: [hang], log: () => {} });
    const service = await serveHttp(server, { port: 0, maxInFlight: 1 });
    const call = () => postModern(service.url, modern("tools/call", { name: "hang", arguments: {} }));
    expect((await call()).json).toMatchObject({ result: { isError: true } });
    expect(await call()).toMatchObject({ status: 429 });
    end();
    expect((await call()).json).toMatchObject({ result: { isError: true } });
    end();
    await service.close();
  });

  it("answers each message of a flood of invalid ones", async () => {
    const flood = ["", "x", ":", "[]", "{}", '{"jsonrpc":"2.0","method":"notifications/x"}', "null", "[[[["];
    for (let round = 0; round < 100; round++) {
      const answers = await Promise.all(flood.map((body) => post(url, body)));
      expect(answers.every(({ status }) => status === 400)).toBe(true);
    }
    await stillServes();
  });
});

describe("a tool", () => {
  const define = (input: object) => () => defineTool({ name: "x", input: input as never, handle: () => "" });

  it("is rejected if its schema has a dangerous pattern, a remote reference or an infinite loop", () => {
    const property = (schema: object) => ({ type: "object", properties: { a: schema } });
    expect(define(property({ type: "string", pattern: "^(a+)\\1$" }))).toThrow(UsageError);
    expect(define(property({ $ref: "http://169.254.169.254/x" }))).toThrow(UsageError);
    expect(define(property({ $ref: "file:///etc/passwd" }))).toThrow(UsageError);
    expect(define({ type: "object", $ref: "#" })).toThrow(UsageError);
  });

  it("validates hostile input in bounded time with a recursive schema", async () => {
    const node = {
      anyOf: [
        { type: "string" },
        { type: "object", properties: { l: { $ref: "#/$defs/n" }, r: { $ref: "#/$defs/n" } } },
      ],
    };
    const input = { type: "object", $defs: { n: node }, properties: { tree: { $ref: "#/$defs/n" } } } as const;
    const tree = defineServer({
      name: "t",
      version: "1",
      tools: [defineTool({ name: "tree", input, handle: () => "ok" })],
    });
    const trees = await serveHttp(tree, { port: 0 });
    let value: unknown = 1;
    for (let depth = 0; depth < 50; depth++) value = { l: value, r: "x" };
    const { json } = await postModern(trees.url, modern("tools/call", { name: "tree", arguments: { tree: value } }));
    expect(json.result.isError).toBe(true);
    await trees.close();
  });
});
