import net from "node:net";
import { defineServer, defineTool } from "proffer";
import { type HttpService, type RequestEntry, serveHttp } from "proffer/http";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { openEvents } from "./event-client.ts";
import { type Headers, legacy, modern, modernHeaders, openSession, postModern, present } from "./http-client.ts";
import { openWorkshop, type Workshop } from "./workshop.ts";

/** The nightly run disconnects more often. */
const CUTS = Number(process.env.PROFFER_CUTS ?? 500);

let workshop: Workshop;
let service: HttpService;
/** The log of the server: one entry for each request that has ended. */
let entries: RequestEntry[];

beforeEach(async () => {
  workshop = openWorkshop();
  entries = [];
  service = await serveHttp(workshop.server, { port: 0, log: (entry) => entries.push(entry) });
});

afterEach(async () => {
  workshop.release();
  await service.close();
});

function bytesOf(message: { method: string; params?: object }, headers: Headers): Buffer {
  const body = JSON.stringify(message);
  const lines = Object.entries(present(headers)).map(([name, value]) => `${name}: ${String(value)}`);
  const head = ["POST /mcp HTTP/1.1", "host: localhost", ...lines, `content-length: ${Buffer.byteLength(body)}`];
  return Buffer.from(`${head.join("\r\n")}\r\n\r\n${body}`);
}

describe("a client that disconnects", () => {
  it.each(["wait", "tell"])("T045: cancels its call of %s, which sends nothing more", async (name) => {
    const message = modern("tools/call", { name, arguments: {}, _meta: { progressToken: 1 } });
    const socket = net.connect(service.port, "127.0.0.1");
    socket.write(bytesOf(message, modernHeaders(message)));
    await expect.poll(() => workshop.begun.get(name)).toBe(1);
    socket.destroy();
    await workshop.stopped;
    await expect.poll(() => entries).toMatchObject([{ rpc: "tools/call", name, status: 499 }]);
    workshop.release();
    // No call is in flight any more, so the server does not wait.
    await service.close();
    expect(entries).toHaveLength(1);
  });

  it("ends its subscription", async () => {
    const message = modern("subscriptions/listen", { notifications: { toolsListChanged: true } });
    const events = await openEvents(service.url, { headers: modernHeaders(message), message });
    await events.message(() => true);
    events.close();
    await expect.poll(() => entries).toMatchObject([{ rpc: "subscriptions/listen", status: 499 }]);
    workshop.server.tools.remove("wait");
    await service.close();
    expect(events.messages.map(({ method }) => method)).toEqual(["notifications/subscriptions/acknowledged"]);
  });

  it(`T046: at any of ${CUTS} moments causes no errors`, { timeout: 600_000 }, async () => {
    const problems: unknown[] = [];
    const note = (problem: unknown) => problems.push(problem);
    process.on("unhandledRejection", note);
    process.on("uncaughtException", note);
    const session = await openSession(service.url);
    const requests = [
      ["echo", { message: "x".repeat(3000) }],
      ["tell", {}],
      ["wait", {}],
    ].flatMap(([name, given]) => {
      const params = { name, arguments: given, _meta: { progressToken: 1 } };
      const newer = modern("tools/call", params);
      const older = legacy("tools/call", params);
      const json = { "content-type": "application/json", accept: "application/json, text/event-stream" };
      return [bytesOf(newer, modernHeaders(newer)), bytesOf(older, { ...json, ...session })];
    });
    const listen = modern("subscriptions/listen", { notifications: { toolsListChanged: true } });
    requests.push(bytesOf(listen, modernHeaders(listen)));
    const cut = async (at: number) => {
      const bytes = requests[at % requests.length] as Buffer;
      const socket = net.connect(service.port, "127.0.0.1");
      socket.on("error", () => {});
      const closed = new Promise((resolve) => socket.on("close", resolve));
      // Half disconnect within the request, half some time after it.
      const within = at % 2 === 0 ? Math.floor(Math.random() * bytes.length) : bytes.length;
      await new Promise<void>((resolve) => socket.write(bytes.subarray(0, within), () => resolve()));
      if (at % 2 === 1) await new Promise((resolve) => setTimeout(resolve, Math.random() * 5));
      if (at % 3 === 0) socket.resetAndDestroy();
      else socket.destroy();
      await closed;
    };
    for (let done = 0; done < CUTS; done += 50) {
      await Promise.all(Array.from({ length: Math.min(50, CUTS - done) }, (_, at) => cut(done + at)));
    }
    workshop.release();
    const echo = modern("tools/call", { name: "echo", arguments: { message: "alive" } });
    expect((await postModern(service.url, echo)).json.result.content[0].text).toBe("alive");
    await service.close(60_000);
    process.off("unhandledRejection", note);
    process.off("uncaughtException", note);
    expect(problems).toEqual([]);
  });
});

describe("a client that does not read", () => {
  it("T048: loses its stream when too many bytes are unread, and other clients do not", async () => {
    const text = "x".repeat(100_000);
    let stopped: () => void = () => {};
    const told = new Promise<void>((resolve) => {
      stopped = resolve;
    });
    const chatty = defineServer({
      name: "chatty",
      version: "1",
      tools: [
        defineTool({
          name: "chat",
          async handle(_input, ctx) {
            ctx.signal.addEventListener("abort", stopped);
            while (!ctx.signal.aborted) {
              ctx.log("info", text);
              await new Promise((resolve) => setImmediate(resolve));
            }
          },
        }),
        defineTool({ name: "quiet", handle: () => "hi" }),
      ],
    });
    const cut: RequestEntry[] = [];
    const log = (entry: RequestEntry) => cut.push(entry);
    const bounded = await serveHttp(chatty, { port: 0, maxUnreadBytes: 1_000_000, log });
    const chat = modern("tools/call", {
      name: "chat",
      arguments: {},
      _meta: { "io.modelcontextprotocol/logLevel": "info" },
    });
    const socket = net.connect(bounded.port, "127.0.0.1");
    socket.on("error", () => {});
    socket.pause();
    socket.write(bytesOf(chat, modernHeaders(chat)));
    await told;
    await expect.poll(() => cut).toMatchObject([{ rpc: "tools/call", name: "chat", status: 499 }]);
    const quiet = modern("tools/call", { name: "quiet", arguments: {} });
    expect((await postModern(bounded.url, quiet)).status).toBe(200);
    socket.destroy();
    await bounded.close();
  });
});
