import { defineServer, defineTool } from "proffer";
import { type HttpService, type ServeOptions, serveHttp } from "proffer/http";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { openEvents } from "./event-client.ts";
import {
  type Headers,
  LEGACY,
  legacy,
  modern,
  modernHeaders,
  openSession,
  post,
  postModern,
  present,
} from "./http-client.ts";
import { openWorkshop, type Workshop } from "./workshop.ts";

let workshop: Workshop;
let service: HttpService;

beforeEach(() => {
  workshop = openWorkshop();
});

afterEach(async () => {
  workshop.release();
  await service.close(0);
});

const wait = modern("tools/call", { name: "wait", arguments: {} });
const echo = modern("tools/call", { name: "echo", arguments: { message: "hi" } });

async function serve(options: ServeOptions): Promise<string> {
  service = await serveHttp(workshop.server, { port: 0, ...options });
  return service.url;
}

/** Starts calls that wait, and resolves when all of them are in flight. */
async function hold(url: string, count: number, headers: Headers = {}): Promise<void> {
  const begun = (workshop.begun.get("wait") ?? 0) + count;
  for (let call = 0; call < count; call++) postModern(url, wait, headers).catch(() => {});
  await expect.poll(() => workshop.begun.get("wait")).toBe(begun);
}

describe("a client with its share of a busy server", () => {
  const limits = { maxInFlight: 20, maxInFlightPerClient: 10 };

  it("gets 429 with Retry-After, while others are served until the server is full", async () => {
    const url = await serve({ ...limits, authenticate: (request) => ({ id: request.header("x-user") ?? "" }) });
    await hold(url, 10, { "x-user": "greedy" });
    expect(await postModern(url, echo, { "x-user": "greedy" })).toMatchObject({
      status: 429,
      headers: { "retry-after": "1" },
      json: { id: 1, error: { code: -31000, message: expect.stringContaining("10 requests in flight, its share") } },
    });
    await hold(url, 10, { "x-user": "other" });
    expect((await postModern(url, echo, { "x-user": "third" })).status).toBe(503);
  });

  it("may have more while the server is not busy", async () => {
    const url = await serve({ maxInFlight: 100, maxInFlightPerClient: 2 });
    await hold(url, 49);
    expect((await postModern(url, echo)).status).toBe(200);
    await hold(url, 1);
    expect((await postModern(url, echo)).status).toBe(429);
  });

  it("is known by its address, which only a trusted proxy may report", async () => {
    const from = (...addresses: string[]) => ({ "x-forwarded-for": addresses.join(", ") });
    const url = await serve({ ...limits, trustedProxies: ["127.0.0.0/8", "10.0.0.7"] });
    await hold(url, 10, from("203.0.113.1", "10.0.0.7"));
    const ask = async (...addresses: string[]) => (await postModern(url, echo, from(...addresses))).status;
    expect(await ask("203.0.113.1")).toBe(429);
    expect(await ask("203.0.113.2")).toBe(200);
    expect(await ask("203.0.113.2", "203.0.113.1")).toBe(429);
    expect(await ask("203.0.113.1", "203.0.113.2")).toBe(200);
    expect(await ask("nonsense", "203.0.113.1", "10.0.0.7")).toBe(429);
  });

  it("cannot pretend another address to a server without trusted proxies", async () => {
    const url = await serve(limits);
    await hold(url, 10);
    expect((await postModern(url, echo, { "x-forwarded-for": "203.0.113.9" })).status).toBe(429);
  });

  it("keeps it while its handlers run on after their time limit", async () => {
    const hang = defineTool({ name: "hang", timeout: 1, handle: () => new Promise<string>(() => {}) });
    const server = defineServer({ name: "hang", version: "1", tools: [hang], log: () => {} });
    service = await serveHttp(server, {
      port: 0,
      ...limits,
      authenticate: (request) => ({ id: request.header("x-user") ?? "" }),
    });
    const call = (user: string) =>
      postModern(service.url, modern("tools/call", { name: "hang", arguments: {} }), { "x-user": user });
    for (let n = 0; n < 10; n++) expect((await call("greedy")).status).toBe(200);
    expect((await call("greedy")).status).toBe(429);
    expect((await call("other")).status).toBe(200);
  });
});

it("handlers that hang do not stop the server for others, however many callers cancelled their calls", async () => {
  let begun = 0;
  const aborted: (() => void)[] = [];
  const hang = defineTool({
    name: "hang",
    handle: (_, { signal }) => {
      begun++;
      return new Promise<string>((resolve) => {
        signal.addEventListener("abort", () => aborted.push(() => resolve("late")));
      });
    },
  });
  const server = defineServer({ name: "hang", version: "1", tools: [hang], log: () => {} });
  service = await serveHttp(server, {
    ...{ port: 0, maxInFlight: 20 },
    authenticate: (request) => ({ id: request.header("x-user") ?? "" }),
  });
  const message = modern("tools/call", { name: "hang", arguments: {} });
  const ping = async (user: string) =>
    (await postModern(service.url, modern("server/discover", {}), { "x-user": user })).status;
  const cut = async (user: string) => {
    const [started, ended] = [begun, aborted.length];
    const controller = new AbortController();
    const headers = { ...present(modernHeaders(message)), "x-user": user } as Record<string, string>;
    const body = JSON.stringify(message);
    const { signal } = controller;
    const sent = fetch(service.url, { method: "POST", headers, body, signal }).then(
      ({ status }) => status,
      () => 0,
    );
    await Promise.race([sent, expect.poll(() => begun, { interval: 2 }).toBe(started + 1)]);
    if (begun === started) return sent;
    controller.abort();
    await expect.poll(() => aborted.length, { interval: 2 }).toBe(ended + 1);
    return sent;
  };
  // Ten times as many as requests may be in flight: then their memory counts.
  for (let n = 0; n < 20; n++) {
    for (let m = 0; m < 10; m++) expect(await cut(`${n}`)).toBe(0);
    expect(await ping("other")).toBe(n < 19 ? 200 : 503);
  }
  for (const end of aborted.splice(0, 10)) end();
  await expect.poll(() => ping("0")).toBe(200);
  expect(await ping("1")).toBe(429);
  for (const end of aborted) end();
  await expect.poll(() => ping("1")).toBe(200);
});

describe("a client with its share of the streams", () => {
  it("gets 429, while others listen", async () => {
    const url = await serve({ maxStreams: 20, authenticate: (request) => ({ id: request.header("x-user") ?? "" }) });
    const listen = modern("subscriptions/listen", { notifications: { toolsListChanged: true } });
    const open = (user: string) =>
      openEvents(url, { headers: { ...modernHeaders(listen), "x-user": user }, message: listen });
    for (let n = 0; n < 10; n++) await open("greedy");
    await expect(open("greedy")).rejects.toThrow("no stream: 429");
    for (let n = 0; n < 10; n++) await open("other");
    await expect(open("third")).rejects.toThrow("no stream: 503");
  });
});

describe("a client that opens sessions without end", () => {
  it("ends its own sessions, not those of others", async () => {
    const authenticate: ServeOptions["authenticate"] = (request) => ({ id: request.header("x-user") ?? "" });
    const url = await serve({ sessions: { max: 20 }, authenticate });
    const honest = await openSession(url, LEGACY, { "x-user": "honest" });
    const first = await openSession(url, LEGACY, { "x-user": "greedy" });
    for (let n = 0; n < 40; n++) await openSession(url, LEGACY, { "x-user": "greedy" });
    expect((await post(url, legacy("ping"), honest)).status).toBe(200);
    expect((await post(url, legacy("ping"), first)).status).toBe(404);
  });
});

describe("the limit of requests in flight", () => {
  it("holds for all clients of the SSE pair together", async () => {
    const url = await serve({ maxInFlight: 10, legacySse: true });
    let refused = 0;
    for (let client = 0; client < 5; client++) {
      const events = await openEvents(`${url}/sse`);
      await expect.poll(() => events.events.length).toBe(1);
      const messages = new URL(events.events[0]?.data ?? "", `${url}/sse`).href;
      for (let id = 0; id < 10; id++) {
        await post(messages, legacy("tools/call", { name: "wait", arguments: {} }, id));
      }
      refused += client === 0 ? 0 : 10;
      if (client > 0)
        await expect.poll(() => events.messages.filter(({ error }) => error?.code === -31000)).toHaveLength(10);
    }
    expect({ begun: workshop.begun.get("wait"), refused }).toEqual({ begun: 10, refused: 40 });
    expect((await postModern(url, echo)).status).toBe(503);
  });

  it("counts each request of a batch", async () => {
    const url = await serve({ maxInFlight: 10 });
    const session = await openSession(url, "2025-03-26");
    const batch = Array.from({ length: 100 }, (_, id) => legacy("tools/call", { name: "wait", arguments: {} }, id));
    const answer = post(url, batch, session);
    await expect.poll(() => workshop.begun.get("wait")).toBe(10);
    expect((await post(url, legacy("ping"), session)).status).toBe(503);
    workshop.release();
    const answers: { error?: { code: number } }[] = (await answer).json;
    expect(answers).toHaveLength(100);
    expect(answers.filter(({ error }) => error?.code === -31000)).toHaveLength(90);
  });
});

it.each(["10.0.0.0/33", "example.com", "10.0.0.1/8/8", "::1/129", "", "10.0.0.1/"])(
  "trustedProxies refuses %j",
  async (address) => {
    service = await serveHttp(workshop.server, { port: 0 });
    await expect(serveHttp(workshop.server, { port: 0, trustedProxies: [address] })).rejects.toThrow(
      "trustedProxies (--trusted-proxy) accepts addresses and networks",
    );
  },
);
