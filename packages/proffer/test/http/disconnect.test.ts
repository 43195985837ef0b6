import net from "node:net";
import { setImmediate as turn } from "node:timers/promises";
import { defineServer, defineTool } from "proffer";
import { type HttpService, type RequestEntry, serveHttp } from "proffer/http";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { openEvents } from "./event-client.ts";
import {
  type Headers,
  JSON_REQUEST,
  legacy,
  modern,
  modernHeaders,
  openSession,
  postModern,
  toBytes,
} from "./http-client.ts";
import { openWorkshop, type Workshop } from "./workshop.ts";

/** `npm run soak` disconnects more often. */
const CUTS = Number(process.env.PROFFER_CUTS ?? 1000);

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

describe("a client that disconnects", () => {
  it.each(["wait", "tell"])("cancels its call of %s, which sends nothing more", async (name) => {
    const message = modern("tools/call", { name, arguments: {}, _meta: { progressToken: 1 } });
    const socket = net.connect(service.port, "127.0.0.1");
    socket.write(toBytes(message, modernHeaders(message)));
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

  it(`at any of ${CUTS} moments causes no errors`, { timeout: 600_000 }, async () => {
    const problems: unknown[] = [];
    const note = (problem: unknown) => problems.push(problem);
    process.on("unhandledRejection", note);
    process.on("uncaughtException", note);
    process.on("warning", note);
    workshop.server.tools.add(pour);
    const requests = await cutRequests();
    for (let done = 0; done < CUTS; done += 50) {
      const batch = Array.from({ length: Math.min(50, CUTS - done) }, (_, at) => {
        const { moment, reset } = momentOf(done + at);
        return cut(requests[(done + at) % requests.length] as CutRequest, moment, reset);
      });
      await Promise.all(batch);
    }
    workshop.release();
    const echo = modern("tools/call", { name: "echo", arguments: { message: "alive" } });
    expect((await postModern(service.url, echo)).json.result.content[0].text).toBe("alive");
    await service.close(60_000);
    process.off("unhandledRejection", note);
    process.off("uncaughtException", note);
    process.off("warning", note);
    expect(problems).toEqual([]);
    // A subscription has no other end.
    expect(new Set(entries.filter(({ rpc }) => rpc === "subscriptions/listen").map(({ status }) => status))).toEqual(
      new Set([499]),
    );
  });
});

/** Sends events as long as there is a client, so that a cut meets a write. */
const pour = defineTool({
  name: "pour",
  async handle(_input, ctx) {
    for (let sent = 0; sent < 50 && !ctx.signal.aborted; sent++) {
      ctx.progress(sent);
      await turn();
    }
    return "poured";
  },
});

interface CutRequest {
  readonly bytes: Buffer;
  /** The length of the headers. */
  readonly head: number;
  /** Whether the server sends anything before the test releases the call. */
  readonly answers: boolean;
}

/** When a connection is cut: while it sends the headers or the body, while it receives, or at some time after that. */
const MOMENTS = ["headers", "body", "answer", "later"] as const;
type Moment = (typeof MOMENTS)[number];

/** Every moment meets every request, with and without a reset, in turn. */
function momentOf(at: number): { moment: Moment; reset: boolean } {
  return { moment: MOMENTS[Math.floor(at / 9) % MOMENTS.length] as Moment, reset: Math.floor(at / 36) % 2 === 0 };
}

/** Nine requests: four tools on two revisions, and a subscription. */
async function cutRequests(): Promise<CutRequest[]> {
  const session = await openSession(service.url);
  const toRequest = (message: ReturnType<typeof legacy>, headers: Headers, answers: boolean) => {
    const bytes = toBytes(message, headers);
    return { bytes, head: bytes.indexOf("\r\n\r\n") + 4, answers };
  };
  const calls = [
    { name: "echo", arguments: { message: "x".repeat(3000) } },
    { name: "tell", arguments: {} },
    { name: "pour", arguments: {} },
    { name: "wait", arguments: {} },
  ].flatMap((call) => {
    const params = { ...call, _meta: { progressToken: 1 } };
    const newer = modern("tools/call", params);
    const answers = call.name !== "wait";
    return [
      toRequest(newer, modernHeaders(newer), answers),
      toRequest(legacy("tools/call", params), { ...JSON_REQUEST, ...session }, answers),
    ];
  });
  const listen = modern("subscriptions/listen", { notifications: { toolsListChanged: true } });
  return [...calls, toRequest(listen, modernHeaders(listen), true)];
}

async function cut({ bytes, head, answers }: CutRequest, moment: Moment, reset: boolean): Promise<void> {
  const socket = net.connect(service.port, "127.0.0.1");
  socket.on("error", () => {});
  const closed = new Promise((resolve) => socket.on("close", resolve));
  const received = new Promise((resolve) => socket.once("data", resolve));
  const random = (below: number) => Math.floor(Math.random() * below);
  const ends = { headers: random(head), body: head + random(bytes.length - head), answer: bytes.length };
  const end = moment === "later" ? bytes.length : ends[moment];
  await new Promise<void>((resolve) => socket.write(bytes.subarray(0, end), () => resolve()));
  if (moment === "answer" && answers) await received;
  if (moment === "later") await new Promise((resolve) => setTimeout(resolve, Math.random() * 5));
  if (reset) socket.resetAndDestroy();
  else socket.destroy();
  await closed;
}

describe("a client that does not read", () => {
  it("loses its stream when too many bytes are unread, and other clients do not", async () => {
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
    socket.write(toBytes(chat, modernHeaders(chat)));
    await told;
    await expect.poll(() => cut).toMatchObject([{ rpc: "tools/call", name: "chat", status: 499 }]);
    const quiet = modern("tools/call", { name: "quiet", arguments: {} });
    expect((await postModern(bounded.url, quiet)).status).toBe(200);
    socket.destroy();
    await bounded.close();
  });
});
