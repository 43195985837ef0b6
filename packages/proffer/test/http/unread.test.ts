import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer, type Server as NodeServer } from "node:http";
import http2 from "node:http2";
import net, { type AddressInfo, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Readable } from "node:stream";
import express from "express";
import { defineServer, defineTool } from "proffer";
import { files } from "proffer/files";
import { createNodeHandler, type HttpOptions, type RequestEntry, type ServeOptions, serveHttp } from "proffer/http";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { room } from "../../src/support/room.ts";
import { turns, unreadResponses } from "../../src/transports/http/node/unread.ts";
import { modern, modernHeaders, postModern, present } from "./http-client.ts";

const MB = 1_000_000;
/** More than the operating system buffers for one connection. */
const LARGE = 16 * MB;
const { max, patience } = room;

let folder: string;
let running = 0;
let mostRunning = 0;
let aborted = 0;
let begun = 0;

const server = () =>
  defineServer({
    name: "large",
    version: "1.0.0",
    log: () => {},
    resources: files(folder, { uri: "f://", maxBytes: LARGE }),
    tools: [
      defineTool({ name: "small", handle: () => "hi" }),
      defineTool({ name: "large", handle: () => "x".repeat(LARGE) }),
      defineTool({
        name: "counted",
        async handle() {
          mostRunning = Math.max(mostRunning, ++running);
          await new Promise((resolve) => setImmediate(resolve));
          running--;
          return "done";
        },
      }),
      defineTool({
        name: "wait",
        handle: (_input, ctx) =>
          new Promise<string>(() => {
            begun++;
            ctx.signal.addEventListener("abort", () => void aborted++);
          }),
      }),
      defineTool({
        name: "chat",
        handle: (_input, ctx) =>
          new Promise<string>(() => {
            ctx.signal.addEventListener("abort", () => void aborted++);
            ctx.log("info", "x".repeat(LARGE));
          }),
      }),
    ],
  });

const closers: (() => unknown)[] = [];

beforeAll(() => {
  // Other tests in this process may have left connections that are closed by now.
  unreadResponses.recount();
  folder = mkdtempSync(join(tmpdir(), "proffer-unread-"));
  writeFileSync(join(folder, "large.bin"), Buffer.alloc((LARGE / 4) * 3, 0xff));
});

afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close();
  Object.assign(room, { max, patience });
  mostRunning = 0;
  aborted = 0;
  begun = 0;
  await expect
    .poll(() => {
      unreadResponses.recount();
      return unreadResponses.size;
    })
    .toBe(0);
});

afterAll(() => rmSync(folder, { recursive: true, force: true }));

async function serve(options: ServeOptions = {}) {
  const service = await serveHttp(server(), { port: 0, ...options });
  closers.push(() => service.close(0));
  return service;
}

const call = (name: string, meta: object = {}) => modern("tools/call", { name, arguments: {}, _meta: meta });
const read = () => modern("resources/read", { uri: "f://large.bin" });

/** The address that a trusted proxy reports. */
type Address = string | undefined;

function bytesOf(message: ReturnType<typeof modern>, address?: Address): string {
  const body = JSON.stringify(message);
  const lines = Object.entries(present({ ...modernHeaders(message), "x-forwarded-for": address })).map(
    ([name, value]) => `${name}: ${String(value)}`,
  );
  return ["POST /mcp HTTP/1.1", "host: localhost", ...lines, `content-length: ${body.length}`, "", body].join("\r\n");
}

/** Sends requests over one connection, and reads nothing until `resume`. */
function open(port: number, ...messages: ReturnType<typeof modern>[]): Socket {
  return openFrom(undefined, port, ...messages);
}

function openFrom(address: Address, port: number, ...messages: ReturnType<typeof modern>[]): Socket {
  const socket = net.connect(port, "127.0.0.1");
  socket.on("error", () => {}).pause();
  socket.write(messages.map((message) => bytesOf(message, address)).join(""));
  closers.push(() => socket.destroy());
  return socket;
}

/** Reads at least this many bytes, and no more. */
function readBytes(socket: Socket, count: number): Promise<void> {
  return new Promise((resolve) => {
    socket.on("data", function read() {
      if (socket.bytesRead < count) return;
      socket.off("data", read).pause();
      resolve();
    });
    socket.resume();
  });
}

/** Reads this many responses; returns the sizes of their bodies. */
async function readAnswers(socket: Socket, count: number): Promise<number[]> {
  const sizes: number[] = [];
  let head = "";
  let left = 0;
  for await (const chunk of socket as AsyncIterable<Buffer>) {
    for (let at = 0; at < chunk.length; ) {
      const taken = Math.min(left, chunk.length - at);
      left -= taken;
      at += taken;
      if (at === chunk.length) break;
      head += String.fromCharCode(chunk[at++] as number);
      if (!head.endsWith("\r\n\r\n")) continue;
      left = Number(/content-length: (\d+)/.exec(head)?.[1]);
      sizes.push(left);
      head = "";
    }
    if (sizes.length === count && left === 0) break;
  }
  return sizes;
}

async function sizeUntilClosed(stream: Readable): Promise<number> {
  let size = 0;
  stream.on("data", (chunk: Buffer) => {
    size += chunk.length;
  });
  await once(stream.resume(), "close");
  return size;
}

describe("requests that are pipelined on one connection", () => {
  const listen = async (http: NodeServer) => {
    if (!http.listening) await once(http.listen(0, "127.0.0.1"), "listening");
    closers.push(() => http.close());
    return (http.address() as AddressInfo).port;
  };
  const HOSTS = {
    serveHttp: async () => (await serve()).port,
    "node:http": () => listen(createServer(createNodeHandler(server()))),
    express: () => listen(express().all("/mcp", createNodeHandler(server())).listen(0, "127.0.0.1")),
  };

  it.each(Object.entries(HOSTS))("are handled one after the other inside %s", async (_, host) => {
    const calls = Array.from({ length: 50 }, () => call("counted"));
    const socket = open(await host(), ...calls);
    expect(await readAnswers(socket, calls.length)).toHaveLength(calls.length);
    expect(mostRunning).toBe(1);
  });

  it("may not wait in any number behind a call that never ends, and that call is cancelled", async () => {
    const { port } = await serve();
    const socket = open(port, call("wait"), ...Array.from({ length: 256 }, () => call("counted")));
    await expect.poll(() => begun).toBe(1);
    socket.write(bytesOf(call("counted")));
    await sizeUntilClosed(socket);
    await expect.poll(() => aborted).toBe(1);
    expect(mostRunning).toBe(0);
  });

  it("are not read as files before the client has read the responses before them", async () => {
    const { port } = await serve();
    const socket = open(port, ...Array.from({ length: 8 }, read));
    await expect.poll(() => unreadResponses.size).toBe(1);
    expect(unreadResponses.bytes).toBeLessThan(LARGE);
    const sizes = await readAnswers(socket, 8);
    expect(sizes.every((size) => size > LARGE)).toBe(true);
    expect(sizes).toHaveLength(8);
  });
});

describe("a client that reads nothing", () => {
  it("is disconnected after unreadTimeout if it has an unread response", async () => {
    const entries: RequestEntry[] = [];
    const { port } = await serve({ unreadTimeout: 100, log: (entry) => entries.push(entry) });
    const socket = open(port, call("large"), call("counted"));
    await expect.poll(() => entries).toMatchObject([{ name: "large", status: 200 }]);
    await expect.poll(() => unreadResponses.size).toBe(0);
    expect(await sizeUntilClosed(socket)).toBeLessThan(LARGE);
    expect(mostRunning).toBe(0);
  });

  it("is disconnected after unreadTimeout if it has an unread stream, and its call is cancelled", async () => {
    const entries: RequestEntry[] = [];
    const { port } = await serve({ unreadTimeout: 100, maxUnreadBytes: 100 * MB, log: (entry) => entries.push(entry) });
    open(port, call("chat", { "io.modelcontextprotocol/logLevel": "info" }));
    await expect.poll(() => aborted).toBe(1);
    expect(entries).toMatchObject([{ name: "chat", status: 499 }]);
  });

  it("makes room for others when the limit of the process is reached", async () => {
    const unread: number[] = [];
    const log = () => setImmediate(() => unread.push(unreadResponses.bytes));
    const { port, url } = await serve({ maxUnreadTotal: 2 * LARGE, log });
    const sockets = Array.from({ length: 6 }, () => open(port, call("large")));
    await expect.poll(() => unread).toHaveLength(6);
    const { json } = await postModern(url, call("large"));
    expect(json.result.content[0].text).toHaveLength(LARGE);
    expect((await postModern(url, call("small"))).status).toBe(200);
    expect(Math.max(...unread)).toBeLessThanOrEqual(2 * LARGE);
    await Promise.race(sockets.map((socket) => once(socket.resume(), "close")));
  });
});

describe("a caller with many connections", () => {
  const trustedProxies = ["127.0.0.1"];

  it("loses its own responses when the limit of the process is reached, also if others read more slowly", async () => {
    let answered = 0;
    const { port } = await serve({ maxUnreadTotal: 4.5 * LARGE, trustedProxies, log: () => void answered++ });
    const slow = openFrom("198.51.100.7", port, call("large"));
    await expect.poll(() => unreadResponses.size).toBe(1);
    const greedy = Array.from({ length: 3 }, () => openFrom("203.0.113.1", port, call("large")));
    await expect.poll(() => unreadResponses.size).toBe(4);
    // They have read something, and the other client nothing.
    await Promise.all(greedy.map((socket) => readBytes(socket, LARGE / 2)));
    for (let n = 0; n < 6; n++) greedy.push(openFrom("203.0.113.1", port, call("large")));
    await expect.poll(() => answered).toBe(10);
    for (const socket of greedy) socket.resume();
    await expect.poll(() => greedy.some(({ closed }) => closed)).toBe(true);
    const [size = 0] = await readAnswers(slow, 1);
    expect(slow.bytesRead).toBeGreaterThan(size);
  });

  it("takes turns with others whose reads of files wait", async () => {
    const { port } = await serve({ maxUnreadTotal: MB, trustedProxies });
    const first = openFrom("203.0.113.1", port, read());
    await expect.poll(() => unreadResponses.size).toBe(1);
    const greedy: Socket[] = [];
    for (let n = 1; n <= 4; n++) {
      greedy.push(openFrom("203.0.113.1", port, read()));
      await expect.poll(() => room.waiting).toBe(n);
    }
    const other = openFrom("198.51.100.7", port, read());
    await expect.poll(() => room.waiting).toBe(5);
    const done: string[] = [];
    const all = [first, ...greedy].map((socket) => readAnswers(socket, 1).then(() => done.push("greedy")));
    await Promise.all([...all, readAnswers(other, 1).then(() => done.push("other"))]);
    expect(done.indexOf("other")).toBeLessThanOrEqual(2);
  });
});

describe("a large file", () => {
  it("is read when there is room; other requests are served at once", async () => {
    const { port, url } = await serve({ maxUnreadTotal: MB });
    const first = open(port, read());
    await expect.poll(() => unreadResponses.size).toBe(1);
    const leaving = open(port, read());
    await expect.poll(() => room.waiting).toBe(1);
    const second = open(port, read());
    await expect.poll(() => room.waiting).toBe(2);
    expect((await postModern(url, call("small"))).status).toBe(200);
    leaving.destroy();
    await expect.poll(() => room.waiting).toBe(1);
    expect(await readAnswers(first, 1)).toHaveLength(1);
    expect(await readAnswers(second, 1)).toHaveLength(1);
    expect(room.waiting).toBe(0);
  });

  it("gets the room of the client that reads most slowly when none is freed", async () => {
    const { port } = await serve({ maxUnreadTotal: MB });
    room.patience = 50;
    const stalled = open(port, read());
    await expect.poll(() => unreadResponses.size).toBe(1);
    expect(await readAnswers(open(port, read()), 1)).toHaveLength(1);
    await once(stalled.resume(), "close");
  });
});

describe("an HTTP/2 connection", () => {
  async function connect(options: HttpOptions) {
    const handler = createNodeHandler(server(), options);
    const h2 = http2.createServer((request, response) => handler(request as never, response as never));
    await once(h2.listen(0, "127.0.0.1"), "listening");
    const client = http2.connect(`http://127.0.0.1:${(h2.address() as AddressInfo).port}`);
    closers.push(
      () => h2.close(),
      () => client.destroy(),
    );
    const send = (message: ReturnType<typeof modern>) => {
      const headers = present(modernHeaders(message)) as http2.OutgoingHttpHeaders;
      const stream = client.request({ ":method": "POST", ":path": "/mcp", ":authority": "localhost", ...headers });
      stream.on("error", () => {}).pause();
      stream.end(JSON.stringify(message));
      return stream;
    };
    /** Resolves when the server has received everything that was sent before. */
    const settle = () => new Promise<void>((resolve) => client.ping(() => resolve()));
    return { send, settle };
  }

  it("starts no further request while too many bytes are unread", async () => {
    const { send, settle } = await connect({ maxUnreadBytes: MB });
    const first = send(call("large"));
    await expect.poll(() => unreadResponses.bytes).toBeGreaterThan(MB);
    const second = send(call("counted"));
    await settle();
    expect(mostRunning).toBe(0);
    let size = 0;
    for await (const chunk of first as AsyncIterable<Buffer>) size += chunk.length;
    expect(size).toBeGreaterThan(LARGE);
    await once(second.resume(), "end");
    expect(mostRunning).toBe(1);
  });

  it("has a bounded number of requests that wait", async () => {
    const { send, settle } = await connect({ maxUnreadBytes: MB });
    send(call("large"));
    await expect.poll(() => unreadResponses.bytes).toBeGreaterThan(MB);
    const streams = Array.from({ length: 300 }, () => send(call("counted")));
    await expect.poll(() => streams.filter(({ closed }) => closed).length).toBe(300 - 256);
    expect(turns.waiting).toBe(256);
    for (const stream of streams) stream.close(http2.constants.NGHTTP2_CANCEL);
    await settle();
    await expect.poll(() => turns.waiting).toBe(0);
    expect(mostRunning).toBe(0);
  });

  it("loses a response that it does not read", async () => {
    const { send } = await connect({ unreadTimeout: 100 });
    const stream = send(call("large"));
    await once(stream, "response");
    await expect.poll(() => unreadResponses.size).toBe(0);
    expect(await sizeUntilClosed(stream)).toBeLessThan(LARGE);
    await once(send(call("small")).resume(), "end");
  });
});
