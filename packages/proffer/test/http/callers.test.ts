import { once } from "node:events";
import http from "node:http";
import net from "node:net";
import { defineServer, defineTool, field, type Middleware } from "proffer";
import { createFetchHandler } from "proffer/fetch";
import { type Authenticate, type HttpService, type ServeOptions, serveHttp } from "proffer/http";
import { concurrency, rateLimit } from "proffer/policy";
import { afterEach, describe, expect, it } from "vitest";
import { uploads } from "../../src/transports/http/exchange.ts";
import { turns } from "../../src/transports/http/node/unread.ts";
import { openEvents } from "./event-client.ts";
import {
  type Headers,
  JSON_REQUEST,
  LEGACY,
  legacy,
  modern,
  modernHeaders,
  openSession,
  post,
  postModern,
  present,
  request,
  toBytes,
} from "./http-client.ts";

const LIMIT = 40;
/** A share applies from half of a limit on, so one caller gets this many. */
const HALF = LIMIT / 2;
const SHARE = 10;
const UPLOAD = 100_000;

const OTHER: Headers = { "x-forwarded-for": "198.51.100.7" };

/** The guises of one caller: the headers of its request with a number. */
const GUISES: { readonly [guise: string]: (n: number) => Headers } = {
  "one address": () => ({ "x-forwarded-for": "203.0.113.1" }),
  "the addresses of one /64": (n) => ({ "x-forwarded-for": `2001:db8:1:2:${n}::1` }),
  "the clients of one user": (n) => ({ "x-user": `mallory ${n}` }),
  "addresses that have one name": (n) => ({ "x-forwarded-for": `203.0.113.${n}`, "x-tenant": "mallory" }),
};

const closers: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close();
});

/** The calls of `tell`, and those whose signals are aborted. */
const [begun, aborted] = [new Set<object>(), new Set<object>()];

const tools = () => {
  begun.clear();
  aborted.clear();
  let end: () => void = () => {};
  const ended = new Promise<string>((resolve) => {
    end = () => resolve("done");
  });
  closers.push(end);
  return [
    defineTool({ name: "echo", handle: () => "hi" }),
    defineTool({ name: "large", handle: () => "x".repeat(UPLOAD) }),
    defineTool({ name: "late", timeout: 1, handle: () => ended }),
    defineTool({
      name: "tell",
      async handle(_, ctx) {
        begun.add(ctx);
        ctx.signal.addEventListener("abort", () => aborted.add(ctx));
        ctx.progress(1);
        return ended;
      },
    }),
    defineTool({ name: "ask", handle: async (_, ctx) => (await ctx.ask("?", { ok: field.boolean() })).action }),
  ];
};

/** Users name themselves; each has many clients. */
const authenticate: Authenticate = (given) => {
  const id = given.header("x-user");
  return id === undefined ? undefined : { id, caller: id.split(" ")[0] as string };
};

const DEFAULTS: ServeOptions = {
  trustedProxies: ["127.0.0.0/8"],
  authenticate,
  caller: (given) => given.header("x-tenant"),
};

async function serve(options: ServeOptions, middleware: Middleware[] = []): Promise<HttpService> {
  const server = defineServer({
    name: "s",
    version: "1",
    tools: tools(),
    maxResult: { bytes: UPLOAD / 2 },
    log: () => {},
    middleware,
  });
  const service = await serveHttp(server, { port: 0, ...options });
  closers.push(() => service.close(0));
  return service;
}

const tell = { name: "tell", arguments: {}, _meta: { progressToken: 1 } };
const call = (name: string) => modern("tools/call", { name, arguments: {} });

/** False if the caller has its share. @throws {Error} for any other refusal. */
async function isTaken(work: Promise<unknown>): Promise<boolean> {
  try {
    const status = await work;
    if (status === 429) return false;
    if (typeof status === "number" && status !== 200) throw new Error(`status ${status}`);
    return true;
  } catch (error) {
    if (/: 429/.test((error as Error).message)) return false;
    throw error;
  }
}

/** Starts a call, and returns its status as soon as it runs. */
async function start(url: string, message: object, headers: Headers): Promise<number | undefined> {
  const response = await request(url, { method: "POST", headers, body: JSON.stringify(message) });
  response.on("error", () => {}).resume();
  return response.statusCode;
}

/** Calls through an SSE pair of its own. */
async function callOfPair(url: string, headers: Headers): Promise<number> {
  const events = await openEvents(`${url}/sse`, { headers });
  await expect.poll(() => events.events.length, { interval: 2 }).toBe(1);
  await post(new URL(events.events[0]?.data ?? "", `${url}/sse`).href, legacy("tools/call", tell), headers);
  const { error } = await events.message(({ id, method }) => id === 1 || method === "notifications/progress");
  return error === undefined ? 200 : 429;
}

/** Asks the user in a session of its own, and cuts the connection. */
async function abandonedQuestion(url: string, given: Headers): Promise<void> {
  const headers = await openSession(url, "2025-06-18", given, { elicitation: {} });
  const events = await openEvents(url, { headers, message: legacy("tools/call", { name: "ask", arguments: {} }) });
  await events.message(({ method }) => method === "elicitation/create");
  events.close();
  await events.ended;
}

/** Sends all of a large request but its end; resolves when the server has counted it, or refuses it. */
async function upload(url: string, headers: Headers): Promise<number> {
  const message = modern("tools/call", { name: "echo", arguments: { text: "x".repeat(UPLOAD) } });
  const bytes = toBytes(message, { ...modernHeaders(message), ...headers }).subarray(0, -1);
  const wanted = uploads.bytes + JSON.stringify(message).length - 1;
  const socket = net.connect(Number(new URL(url).port), "127.0.0.1").on("error", () => {});
  closers.push(() => socket.destroy());
  socket.write(bytes);
  return new Promise((resolve) => {
    const timer = setInterval(() => uploads.bytes === wanted && done(200), 1);
    const done = (status: number) => {
      clearInterval(timer);
      resolve(status);
    };
    socket.once("data", (data) => done(Number(String(data).slice(9, 12))));
  });
}

/** Sends a call that runs, and behind it on the same connection one that waits for it. */
function pipeline(url: string, headers: Headers): Promise<number> {
  const [running, waiting] = [modern("tools/call", tell), call("echo")].map((message) =>
    toBytes(message, { ...modernHeaders(message), ...headers }),
  ) as [Buffer, Buffer];
  const wanted = turns.waiting + 1;
  const socket = net.connect(Number(new URL(url).port), "127.0.0.1").on("error", () => {});
  closers.push(() => socket.destroy());
  socket.once("data", () => socket.write(waiting)).write(running);
  return new Promise((resolve) => {
    const timer = setInterval(() => turns.waiting === wanted && done(200), 1);
    const done = (status: number) => {
      clearInterval(timer);
      resolve(status);
    };
    socket.once("close", () => done(429));
  });
}

/** A bounded thing of the server. */
interface Bound {
  readonly options?: ServeOptions;
  readonly middleware?: () => Middleware;
  /** Takes one more of it. */
  readonly take: (url: string, headers: Headers) => Promise<unknown>;
  /** How many one other caller gets. Default: its share. */
  readonly left?: number;
}

const BOUNDS: { readonly [thing: string]: Bound } = {
  calls: {
    options: { maxInFlight: LIMIT },
    take: (url, headers) => {
      const message = modern("tools/call", tell);
      return start(url, message, { ...modernHeaders(message), ...headers });
    },
  },
  "calls of sessions": {
    options: { maxInFlight: LIMIT },
    take: async (url, headers) =>
      start(url, legacy("tools/call", tell), { ...JSON_REQUEST, ...(await openSession(url, LEGACY, headers)) }),
  },
  "calls of SSE pairs": { options: { maxInFlight: LIMIT, legacySse: true }, take: callOfPair },
  "waiting questions whose connections were cut": { options: { maxInFlight: LIMIT }, take: abandonedQuestion },
  "late handlers": {
    options: { maxInFlight: LIMIT },
    take: async (url, headers) => (await postModern(url, call("late"), headers)).status,
  },
  "handlers of cut calls": {
    options: { maxInFlight: LIMIT },
    async take(url, headers) {
      const message = modern("tools/call", tell);
      const events = await openEvents(url, { headers: { ...modernHeaders(message), ...headers }, message });
      await events.message(({ method }) => method === "notifications/progress");
      events.close();
      await expect.poll(() => aborted.size, { interval: 2 }).toBe(begun.size);
    },
  },
  "handlers of cancelled calls": {
    options: { maxInFlight: LIMIT },
    async take(url, headers) {
      const session = await openSession(url, LEGACY, headers);
      const events = await openEvents(url, { headers: session, message: legacy("tools/call", tell) });
      await events.message(({ method }) => method === "notifications/progress");
      const params = { requestId: 1 };
      const cancelled = { jsonrpc: "2.0", method: "notifications/cancelled", params };
      expect((await post(url, cancelled, session)).status).toBe(202);
      await events.ended;
    },
  },
  "subscriptions/listen": {
    options: { maxStreams: LIMIT },
    take(url, headers) {
      const message = modern("subscriptions/listen", { notifications: { toolsListChanged: true } });
      return openEvents(url, { headers: { ...modernHeaders(message), ...headers }, message });
    },
  },
  "streams of GET": {
    options: { maxStreams: LIMIT },
    take: async (url, headers) => openEvents(url, { headers: await openSession(url, LEGACY, headers) }),
  },
  "SSE pairs": {
    options: { maxStreams: LIMIT, legacySse: true },
    take: (url, headers) => openEvents(`${url}/sse`, { headers }),
  },
  "sessions, all of them busy": {
    options: { sessions: { max: LIMIT } },
    take: async (url, headers) => openEvents(url, { headers: await openSession(url, LEGACY, headers) }),
  },
  "large requests that arrive slowly": { take: upload, left: 3 },
  "requests that wait on their connections": { take: pipeline, left: LIMIT / 10 },
  "a rate per principal": {
    middleware: () => rateLimit({ per: "principal", rate: 0.001, burst: HALF }),
    take: async (url, headers) => (await postModern(url, call("echo"), headers)).status,
  },
  "a rate per client": {
    middleware: () => rateLimit({ per: "client", rate: 0.001, burst: HALF }),
    take: async (url, headers) => (await postModern(url, call("echo"), headers)).status,
  },
  "concurrent calls": {
    middleware: () => concurrency({ per: "principal", max: HALF }),
    take: async (url, headers) => {
      const message = modern("tools/call", tell);
      return start(url, message, { ...modernHeaders(message), ...headers });
    },
  },
};

const maxima = [uploads.max, turns.max] as const;

describe.each(Object.entries(BOUNDS))("one caller leaves the others their share of %s", (_, bound) => {
  const { options = {}, middleware, take, left = SHARE } = bound;

  it.each(Object.entries(GUISES))("as %s", async (_guise, headersOf) => {
    await expect.poll(() => uploads.bytes + turns.waiting).toBe(0);
    const { url } = await serve({ ...DEFAULTS, ...options }, middleware === undefined ? [] : [middleware()]);
    [uploads.max, turns.max] = [LIMIT * UPLOAD, LIMIT];
    closers.push(() => {
      [uploads.max, turns.max] = maxima;
    });
    let taken = 0;
    while (taken < LIMIT && (await isTaken(take(url, headersOf(taken))))) taken++;
    expect(Math.abs(taken - HALF)).toBeLessThanOrEqual(1);
    for (let n = 0; n < left; n++) expect(await isTaken(take(url, OTHER))).toBe(true);
    expect(await isTaken(take(url, headersOf(LIMIT)))).toBe(false);
  });
});

/** Linux answers at every address of 127.0.0.0/8; others at one. */
const isLinux = process.platform === "linux";

describe("one address, with all defaults", () => {
  it.runIf(isLinux)("that abandons 1,000 questions leaves the others half of the server", async () => {
    const { url } = await serve({});
    const agent = new http.Agent({ keepAlive: true, localAddress: "127.0.0.2" } as http.AgentOptions);
    closers.push(() => agent.destroy());
    const greedy = { agent };
    const params = { protocolVersion: "2025-06-18", capabilities: { elicitation: {} } };
    const statuses = new Map<number, number>();
    const earlier = await openSession(url);
    for (let n = 0; n < 1000; n++) {
      const opened = await sendFrom(url, legacy("initialize", params), {}, greedy);
      const session = { "mcp-session-id": opened.id, "mcp-protocol-version": "2025-06-18" };
      const ask = legacy("tools/call", { name: "ask", arguments: {} });
      const asked = opened.status === 200 ? await sendFrom(url, ask, session, { agent: undefined, cut: true }) : opened;
      statuses.set(asked.status, (statuses.get(asked.status) ?? 0) + 1);
    }
    expect(Object.fromEntries(statuses)).toEqual({ 200: 500, 429: 500 });
    expect((await postModern(url, call("echo"))).status).toBe(200);
    expect((await post(url, legacy("ping"), earlier)).status).toBe(200);
    expect((await post(url, legacy("ping"), await openSession(url))).status).toBe(200);
  });

  it.runIf(isLinux)("cannot take all connections", async () => {
    const { port, url } = await serve({ maxConnections: LIMIT });
    const connect = async (localAddress: string) => {
      const socket = net.connect({ port, host: "127.0.0.1", localAddress }).on("error", () => {});
      closers.push(() => socket.destroy());
      socket.write("POST /mcp HTTP/1.1\r\n");
      return Promise.race([
        once(socket, "data").then(([data]) => String(data).slice(9, 12)),
        // The server has accepted a connection before it answers a later one.
        postModern(url, call("echo")).then(({ status }) => (status === 200 ? "open" : String(status))),
      ]);
    };
    await postModern(url, call("echo"));
    const outcomes: string[] = [];
    for (let n = 0; n < LIMIT; n++) outcomes.push(await connect("127.0.0.2"));
    expect(outcomes.filter((each) => each === "open")).toHaveLength(HALF - 1);
    expect(new Set(outcomes)).toEqual(new Set(["open", "429"]));
    for (let n = 0; n < SHARE - 1; n++) expect(await connect("127.0.0.3")).toBe("open");
  });
});

interface From {
  readonly agent: http.Agent | undefined;
  /** Closes the connection with the first byte of the response. */
  readonly cut?: boolean;
}

/** POSTs a message from 127.0.0.2. */
function sendFrom(url: string, message: object, headers: Headers, { agent, cut = false }: From) {
  return new Promise<{ status: number; id: string | undefined }>((resolve, reject) => {
    const options = { method: "POST", headers: present({ ...JSON_REQUEST, ...headers }), localAddress: "127.0.0.2" };
    const sent = http.request(url, { ...options, agent: agent ?? false }, (response) => {
      const id = response.headers["mcp-session-id"] as string | undefined;
      const done = () => resolve({ status: response.statusCode ?? 0, id });
      response.on("error", () => {}).on("close", done);
      if (cut) response.once("data", () => response.destroy());
      response.resume();
    });
    sent.on("error", reject).end(JSON.stringify(message));
  });
}

describe("a caller counts, and does not authorize", () => {
  const address = { "x-forwarded-for": "203.0.113.1" };
  const elsewhere = { "x-forwarded-for": "198.51.100.7" };

  it("so that two anonymous clients of one address cannot reach each other", async () => {
    const { url } = await serve({ ...DEFAULTS });
    const [one, two] = [
      await openSession(url, LEGACY, address, { elicitation: {} }),
      await openSession(url, LEGACY, address, { elicitation: {} }),
    ];
    expect((await post(url, legacy("ping"), { ...one, "mcp-session-id": "unknown" })).status).toBe(404);
    // The question of one is not answered by the other, nor its stream resumed.
    const events = await openEvents(url, {
      headers: one,
      message: legacy("tools/call", { name: "ask", arguments: {} }),
    });
    const { id } = await events.message(({ method }) => method === "elicitation/create");
    const answer = { jsonrpc: "2.0", id, result: { action: "accept", content: { ok: true } } };
    await post(url, answer, two);
    await expect(openEvents(url, { headers: { ...two, "last-event-id": events.events.at(-1)?.id } })).rejects.toThrow(
      "no stream: 400",
    );
    await post(url, { ...answer, result: { action: "decline" } }, one);
    expect((await events.message((message) => message.id === 1)).result.content[0].text).toBe("decline");
    // The rest of a large result belongs to the session.
    const large = await post(url, legacy("tools/call", { name: "large", arguments: {} }), one);
    const [, cursor] = /cursor \\"([\w-]+)\\"/.exec(large.body) ?? [];
    const more = legacy("tools/call", { name: "more", arguments: { cursor } });
    expect((await post(url, more, two)).json.result.isError).toBe(true);
    expect((await post(url, more, one)).json.result.isError).toBeUndefined();
  });

  it("so that one client whose address changes keeps its share", async () => {
    const { url } = await serve({ ...DEFAULTS });
    const one = await openSession(url, LEGACY, address, { elicitation: {} });
    const events = await openEvents(url, {
      headers: one,
      message: legacy("tools/call", { name: "ask", arguments: {} }),
    });
    const { id } = await events.message(({ method }) => method === "elicitation/create");
    const large = await post(url, legacy("tools/call", { name: "large", arguments: {} }), one);
    const [, cursor] = /cursor \\"([\w-]+)\\"/.exec(large.body) ?? [];
    const moved = { ...one, ...elsewhere };
    await post(url, { jsonrpc: "2.0", id, result: { action: "decline" } }, moved);
    expect((await events.message((message) => message.id === 1)).result.content[0].text).toBe("decline");
    const more = legacy("tools/call", { name: "more", arguments: { cursor } });
    expect((await post(url, more, moved)).json.result.isError).toBeUndefined();
  });
});

it("a caller may be named where the run-time knows no address", async () => {
  const server = defineServer({ name: "s", version: "1", tools: tools(), log: () => {} });
  const handle = createFetchHandler(server, {
    maxInFlight: 20,
    caller: (given) => given.header("cf-connecting-ip"),
  });
  const send = async (name: string, ip: string) => {
    const message = name === "tell" ? modern("tools/call", tell) : call(name);
    const headers = { ...present(modernHeaders(message)), "cf-connecting-ip": ip } as Record<string, string>;
    return handle(new Request("http://localhost/mcp", { method: "POST", headers, body: JSON.stringify(message) }));
  };
  for (let n = 0; n < 10; n++) expect((await send("tell", "2001:db8::1")).status).toBe(200);
  expect((await send("echo", "2001:db8::2")).status).toBe(429);
  expect((await send("echo", "2001:db8:1::1")).status).toBe(200);
  await handle.close(0);
});
