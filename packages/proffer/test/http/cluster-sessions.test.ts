import type { Cluster } from "proffer";
import type { ServeOptions } from "proffer/http";
import { redis } from "proffer/redis";
import { memoryCluster } from "proffer/testing";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { CLIENTS, type TestClient } from "../ports/clients.ts";
import { describeWithEngine, sharedEngine } from "../ports/engine.ts";
import { type EventClient, openEvents } from "./event-client.ts";
import { type FaultyCluster, faultyCluster } from "./faulty-cluster.ts";
import { type Headers, LEGACY, legacy, modern, openSession, post, postModern, send } from "./http-client.ts";
import { type Nodes, openNodes } from "./nodes.ts";

const CAPABILITIES = { elicitation: {} };
const EVENTS = { accept: "text/event-stream" };
/** A limit that no test reaches. */
const NEVER = 1_000_000;

/** Creates an empty cluster; a test closes it. */
type Create = () => Cluster & { close?(): void };

const engine = await sharedEngine();
let nodes: Nodes;
let cluster: FaultyCluster;
let create: Create;
let close: (() => void) | undefined;

afterEach(async () => {
  await nodes.close();
  close?.();
});

async function openCluster(options: ServeOptions = {}): Promise<void> {
  const created = create();
  close = () => created.close?.();
  cluster = faultyCluster(created);
  nodes = await openNodes(4, cluster, options);
}

/** Opens four nodes and a session at the first. */
async function openSpread(options: ServeOptions = {}): Promise<Headers> {
  await openCluster(options);
  return openSession(url(0), LEGACY, {}, CAPABILITIES);
}

describe("sessions in memory that nodes of one process share", () => {
  beforeAll(() => {
    create = memoryCluster;
  });
  defineTests();
});

describeWithEngine("sessions in Redis", engine, (engine) => {
  let client: TestClient;
  const run = Math.random().toString(36).slice(2);
  let tests = 0;
  beforeAll(async () => {
    const [, connect] = CLIENTS[0] as (typeof CLIENTS)[number];
    client = await connect(engine);
    // The machine that runs the tests may be busy: an outage is another test.
    create = () => redis(client.client, { prefix: `${run} ${++tests}`, commandTimeout: 60_000 });
  });
  afterAll(() => client.close());
  defineTests();
});

const url = (node: number) => nodes.urls[node] as string;
const call = (name: string, given: object = {}, id: unknown = 1, _meta?: object) =>
  legacy("tools/call", { name, arguments: given, ...(_meta ? { _meta } : {}) }, id);
const text = ({ json }: { json: { result: { content: { text: string }[] } } }) => json.result.content[0]?.text;
const ping = async (node: number, session: Headers) => (await post(url(node), legacy("ping"), session)).status;
const lastId = (events: EventClient) => events.events.at(-1)?.id;
const begun = (name: string, times = 1) => expect.poll(() => nodes.begun.get(name) ?? 0).toBe(times);
const isQuestion = ({ method }: { method?: string }) => method === "elicitation/create";
const answer = (id: unknown, name = "Ada") => ({ jsonrpc: "2.0", id, result: { action: "accept", content: { name } } });
const resume = (node: number, session: Headers, id: string | undefined) =>
  openEvents(url(node), { headers: { ...session, "last-event-id": id } });
const methods = (events: EventClient) => events.messages.map(({ method, params }) => params?.uri ?? method);

function defineTests(): void {
  describe("a session that several nodes serve", () => {
    it("keeps its data, whichever node answers", async () => {
      const session = await openSpread();
      const counts = [];
      for (const node of [1, 2, 3, 0]) counts.push(text(await post(url(node), call("count"), session)));
      expect(counts).toEqual(["1", "2", "3", "4"]);
      const other = await openSession(url(2));
      expect(text(await post(url(3), call("count"), other))).toBe("1");
      await post(url(1), call("delete", { key: "count" }), session);
      expect(text(await post(url(2), call("get", { key: "count" }), session))).toBe("null");
    });

    it("reads the store once for a request, and writes only changes", async () => {
      const session = await openSpread();
      await ping(1, session);
      cluster.operations.clear();
      await ping(1, session);
      expect([...cluster.operations]).toEqual([["read", 1]]);
      await post(url(1), call("count"), session);
      expect([...cluster.operations]).toEqual([
        ["read", 2],
        ["change", 1],
      ]);
    });

    it("keeps the values that different nodes write at the same time", async () => {
      const session = await openSpread();
      const slow = post(url(1), call("set_slowly", { key: "a", value: [1, { b: null }] }), session);
      await begun("set_slowly");
      await post(url(2), call("set", { key: "b", value: "ü" }), session);
      nodes.release();
      await slow;
      expect(text(await post(url(3), call("get", { key: "a" }), session))).toBe('[1,{"b":null}]');
      expect(text(await post(url(3), call("get", { key: "b" }), session))).toBe('"ü"');
    });

    it("stores JSON only, and a limited number of bytes", async () => {
      const session = await openSpread({ sessions: { maxDataBytes: 1000 } });
      expect(text(await post(url(1), call("set_map"), session))).toMatch(/"map".*not JSON/);
      await post(url(1), call("set", { key: "a", value: "x".repeat(600) }), session);
      const second = await post(url(2), call("set", { key: "b", value: "x".repeat(600) }), session);
      expect(text(second)).toMatch(/exceed sessions.maxDataBytes, 1000 bytes/);
      expect((await post(url(2), call("set", { key: "a", value: "y".repeat(900) }), session)).json.result.isError).toBe(
        undefined,
      );
      const subscribed = await post(url(3), legacy("resources/subscribe", { uri: "shop://one" }), session);
      expect(subscribed.json.error.message).toMatch(/Too many subscriptions.*maxDataBytes, 1000 bytes/);
    });

    it("is one of a limited number of its caller, on all nodes together", async () => {
      await openCluster({ sessions: { max: 3 }, trustedProxies: ["127.0.0.0/8"] });
      const [greedy, other] = ["203.0.113.1", "203.0.113.2"].map((address) => ({ "x-forwarded-for": address }));
      const sessions: Headers[] = [];
      for (const node of [0, 1, 2]) sessions.push(await openSession(url(node), LEGACY, greedy));
      const params = { protocolVersion: LEGACY, capabilities: {}, clientInfo: { name: "test", version: "1" } };
      expect(await post(url(3), legacy("initialize", params), greedy)).toMatchObject({
        status: 429,
        headers: { "retry-after": "1" },
        json: { error: { code: -31000, message: expect.stringContaining("3 sessions") } },
      });
      expect(await ping(3, await openSession(url(3), LEGACY, other))).toBe(200);
      // The address counts, and does not authorize.
      for (const session of sessions) expect(await ping(3, { ...session, ...other })).toBe(200);
      expect((await send(url(3), { method: "DELETE", headers: { ...sessions[0], ...other } })).status).toBe(204);
      await expect.poll(() => openSession(url(0), LEGACY, greedy).catch(() => undefined)).toBeDefined();
      expect((await post(url(3), legacy("initialize", params), greedy)).status).toBe(429);
    });

    it("shares the log level", async () => {
      const session = await openSpread();
      await post(url(1), legacy("logging/setLevel", { level: "debug" }), session);
      const events = await openEvents(url(2), { headers: session, message: call("log") });
      expect((await events.message(({ method }) => method === "notifications/message")).params.data).toBe("a detail");
      await post(url(3), legacy("logging/setLevel", { level: "error" }), session);
      expect((await post(url(2), call("log"), session)).headers["content-type"]).toBe("application/json");
    });

    it("ends everywhere at once with DELETE", async () => {
      const session = await openSpread();
      const listening = await openEvents(url(1), { headers: session });
      const waiting = post(url(2), call("set_slowly", { key: "a", value: 1 }), session);
      await begun("set_slowly");
      expect((await send(url(3), { method: "DELETE", headers: session })).status).toBe(204);
      for (const node of [0, 1, 2, 3]) expect(await ping(node, session)).toBe(404);
      await listening.ended;
      expect((await waiting).status).toBe(202);
      expect(nodes.aborted).toEqual(["set_slowly"]);
      nodes.release();
      for (const method of ["GET", "DELETE"]) {
        expect((await send(url(1), { method, headers: { ...EVENTS, ...session } })).status).toBe(404);
      }
    });

    it("does not come back by the answer of a call that ran on", async () => {
      const session = await openSpread({ keepAliveInterval: NEVER });
      cluster.isDeaf = true;
      const waiting = post(url(2), call("set_slowly", { key: "a", value: 1 }), session);
      await begun("set_slowly");
      await send(url(3), { method: "DELETE", headers: session });
      nodes.release();
      expect((await waiting).status).toBe(200);
      for (const node of [0, 1, 2, 3]) expect(await ping(node, session)).toBe(404);
    });

    it("ends on every node although the hint was lost", async () => {
      const session = await openSpread({ keepAliveInterval: 20 });
      const listening = await openEvents(url(1), { headers: session });
      const waiting = post(url(2), call("wait"), session);
      await begun("wait");
      cluster.isDeaf = true;
      await send(url(3), { method: "DELETE", headers: session });
      await listening.ended;
      expect((await waiting).status).toBe(202);
    });

    it("ends after the idle timeout", async () => {
      const session = await openSpread({ sessions: { idleTimeout: 20 } });
      await expect
        .poll(
          async () => {
            await new Promise((resolve) => setTimeout(resolve, 50));
            return ping(1, session);
          },
          { timeout: 600_000 },
        )
        .toBe(404);
    });

    it("is extended by requests, by a client that listens, and by a call in flight", async () => {
      const session = await openSpread({ keepAliveInterval: 20, sessions: { idleTimeout: 10_000 } });
      const waiter = await openSession(url(0));
      const keys = [session, waiter].map((each) => `spread session ${each["mcp-session-id"]}`);
      cluster.extended.clear();
      await ping(1, session);
      expect([...cluster.extended]).toEqual([keys[0]]);
      const listening = await openEvents(url(1), { headers: session });
      const waiting = post(url(2), call("wait"), waiter);
      await begun("wait");
      cluster.extended.clear();
      await expect.poll(() => [...cluster.extended].sort()).toEqual([...keys].sort());
      nodes.release();
      await waiting;
      listening.close();
    });

    it("cancels a call that runs on another node", async () => {
      const session = await openSpread();
      const other = await openSession(url(0));
      const [waiting, kept] = [post(url(1), call("wait", {}, 5), session), post(url(1), call("wait", {}, 5), other)];
      await begun("wait", 2);
      const note = { jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId: 5 } };
      expect((await post(url(2), note, session)).status).toBe(202);
      expect((await waiting).status).toBe(202);
      nodes.release();
      expect(text(await kept)).toBe("waited");
    });

    it("goes on when a node stops", async () => {
      const session = await openSpread();
      const listening = await openEvents(url(1), { headers: session });
      await nodes.services[1]?.close(0);
      await listening.ended;
      expect(text(await post(url(2), call("count"), session))).toBe("1");
      await openEvents(url(2), { headers: session });
    });

    it("answers 404 for hostile ids without asking the store", async () => {
      const session = await openSpread();
      cluster.operations.clear();
      for (const id of ["nobody", "__proto__", `${session["mcp-session-id"]} g1`, "x".repeat(8000), "*".repeat(24)]) {
        expect(await ping(1, { "mcp-session-id": id })).toBe(404);
      }
      expect(cluster.operations.size).toBe(0);
      expect(await ping(1, { "mcp-session-id": "A".repeat(24) })).toBe(404);
      expect(await ping(1, {})).toBe(400);
    });
  });

  describe("a question asked on one node", () => {
    async function ask(session: Headers) {
      const events = await openEvents(url(1), { headers: session, message: call("ask", {}, 9) });
      return { events, id: (await events.message(isQuestion)).id as string };
    }

    it("is answered through another, once", async () => {
      const session = await openSpread();
      const { events, id } = await ask(session);
      const foreign = await openSession(url(2), LEGACY, {}, CAPABILITIES);
      for (const node of [1, 2]) expect((await post(url(node), answer(id, "Eve"), foreign)).status).toBe(202);
      for (const odd of [`${id}9`, "proffer-1", 7]) expect((await post(url(2), answer(odd), session)).status).toBe(202);
      expect((await post(url(3), answer(id), session)).status).toBe(202);
      expect((await post(url(2), answer(id, "Bob"), session)).status).toBe(202);
      expect((await events.message((message) => message.id === 9)).result.content[0].text).toBe("Hello, Ada!");
      await events.ended;
      await expect.poll(() => recordOf(session)).not.toMatch(/[qr]:/);
    });

    it("is cancelled by an invalid response", async () => {
      const session = await openSpread();
      const { events, id } = await ask(session);
      expect((await post(url(2), { jsonrpc: "2.0", id, result: "yes" }, session)).status).toBe(400);
      expect((await events.message((message) => message.id === 9)).result.content[0].text).toBe("cancel");
    });

    it("gets its answer after a gap in the bus", async () => {
      const session = await openSpread({ keepAliveInterval: NEVER });
      const { events, id } = await ask(session);
      cluster.isDeaf = true;
      await post(url(2), answer(id), session);
      cluster.isDeaf = false;
      expect(events.messages.at(-1).id).toBe(id);
      cluster.missed();
      expect((await events.message((message) => message.id === 9)).result.content[0].text).toBe("Hello, Ada!");
    });

    it("is cancelled if its client disconnects and listens nowhere", async () => {
      const session = await openSpread({ sessions: { reconnectTimeout: 20 } });
      (await ask(session)).events.close();
      await expect.poll(() => nodes.aborted).toEqual(["ask"]);
      expect(await ping(2, session)).toBe(200);
    });

    it("waits while its client listens on another node, and no longer", async () => {
      const session = await openSpread({ sessions: { reconnectTimeout: 20 } });
      const listening = await openEvents(url(3), { headers: session });
      (await ask(session)).events.close();
      await new Promise((resolve) => setTimeout(resolve, 150));
      expect(nodes.aborted).toEqual([]);
      listening.close();
      await expect.poll(() => nodes.aborted).toEqual(["ask"]);
    });

    it("waits while its client has resumed the stream on another node, and no longer", async () => {
      const session = await openSpread({ keepAliveInterval: 200, sessions: { reconnectTimeout: 60 } });
      const { events, id } = await ask(session);
      const resumed = await resume(3, session, lastId(events));
      await events.ended;
      await new Promise((resolve) => setTimeout(resolve, 250));
      expect(nodes.aborted).toEqual([]);
      const second = await ask(session);
      await post(url(2), answer(id), session);
      expect((await resumed.message((message) => message.id === 9)).result.content[0].text).toBe("Hello, Ada!");
      second.events.close();
      await expect.poll(() => nodes.aborted).toContain("ask");
    });

    it("does not keep its session from ending", async () => {
      const session = await openSpread({
        keepAliveInterval: 20,
        sessions: { idleTimeout: 5000, reconnectTimeout: NEVER },
      });
      const { events } = await ask(session);
      cluster.extended.clear();
      await new Promise((resolve) => setTimeout(resolve, 700));
      expect([...cluster.extended]).toEqual([]);
      // As when its time is up.
      await cluster.store.remove(`spread session ${session["mcp-session-id"]}`);
      await events.ended;
      expect(nodes.aborted).toEqual(["ask"]);
    });
  });

  describe("the stream of a session", () => {
    it("is unique on all nodes", async () => {
      const session = await openSpread();
      const events = await openEvents(url(1), { headers: session });
      for (const node of [1, 2]) {
        expect((await send(url(node), { headers: { ...EVENTS, ...session } })).status).toBe(409);
      }
      events.close();
      await expect
        .poll(async () => (await openEvents(url(2), { headers: session }).catch(() => undefined))?.response)
        .toBeDefined();
    });

    it("can be opened again when the lease of a lost node has ended", async () => {
      const session = await openSpread({ keepAliveInterval: 30 });
      const { store } = cluster;
      const key = `spread session ${session["mcp-session-id"]}`;
      // As if another node, which no longer runs, had taken it.
      await store.change(key, { set: { get: "AAAAAAAAAAAA 1" }, stamp: ["gt"] });
      await expect.poll(() => openEvents(url(2), { headers: session }).catch(() => undefined)).toBeDefined();
    });

    it("carries updates of resources that were subscribed on other nodes", async () => {
      const session = await openSpread();
      await post(url(0), legacy("resources/subscribe", { uri: "shop://one" }), session);
      const events = await openEvents(url(1), { headers: session });
      await post(url(2), legacy("resources/subscribe", { uri: "shop://two" }), session);
      await expect.poll(() => notified(events, "shop://two")).toBe(true);
      await expect.poll(() => notified(events, "shop://one")).toBe(true);
      await post(url(3), legacy("resources/unsubscribe", { uri: "shop://two" }), session);
      await expect
        .poll(async () => {
          const before = methods(events).filter((uri) => uri === "shop://two").length;
          nodes.servers[1]?.notify("shop://two");
          nodes.servers[1]?.notify("shop://one");
          const ones = methods(events).filter((uri) => uri === "shop://one").length;
          await expect.poll(() => methods(events).filter((uri) => uri === "shop://one").length).toBeGreaterThan(ones);
          return methods(events).filter((uri) => uri === "shop://two").length - before;
        })
        .toBe(0);
      expect(await recordOf(session)).not.toContain("shop://");
    });

    it("resumes on another node without losing or repeating an event, as often as it breaks", async () => {
      const session = await openSpread();
      await post(url(0), legacy("resources/subscribe", { uri: "shop://one" }), session);
      await post(url(0), legacy("resources/subscribe", { uri: "shop://two" }), session);
      const first = await openEvents(url(1), { headers: session });
      nodes.servers[1]?.notify("shop://one");
      await first.message(() => true);
      first.close();
      await first.ended;
      // The node keeps the events for a client that reconnects.
      nodes.servers[1]?.notify("shop://two");
      await expect.poll(() => logOf(session, "g1")).toHaveLength(2);
      const second = await resume(2, session, lastId(first));
      await second.message(() => true);
      expect(methods(second)).toEqual(["shop://two"]);
      nodes.servers[2]?.notify("shop://one");
      await expect.poll(() => methods(second)).toEqual(["shop://two", "shop://one"]);
      // Not the last id: all that came after it comes again, also from the log of another node.
      const third = await resume(3, session, first.events.find(({ data }) => data !== "")?.id);
      await expect.poll(() => methods(third)).toEqual(["shop://two", "shop://one"]);
      await second.ended;
      nodes.servers[3]?.notify("shop://two");
      await expect.poll(() => methods(third)).toEqual(["shop://two", "shop://one", "shop://two"]);
    });

    it("takes over from a node that is connected", async () => {
      const session = await openSpread();
      await post(url(0), legacy("resources/subscribe", { uri: "shop://one" }), session);
      await post(url(0), legacy("resources/subscribe", { uri: "shop://two" }), session);
      const first = await openEvents(url(1), { headers: session });
      nodes.servers[1]?.notify("shop://one");
      await first.message(() => true);
      const second = await resume(2, session, lastId(first));
      await first.ended;
      nodes.servers[1]?.notify("shop://one");
      await second.message(() => true);
      // Messages of the earlier node would come before this one.
      nodes.servers[1]?.notify("shop://two");
      await expect.poll(() => methods(second)).toEqual(["shop://one", "shop://two"]);
    });
  });

  describe("resuming the stream of a request on another node", () => {
    const META = { progressToken: 1 };

    it("continues while the call runs, with every event once and in order", async () => {
      const session = await openSpread();
      const first = await openEvents(url(1), { headers: session, message: call("tell", { steps: 4 }, 1, META) });
      await first.message(({ params }) => params?.progress === 1);
      const after = first.events.find(({ data }) => data.includes('"progress":1'))?.id;
      first.close();
      const second = await resume(2, session, after);
      await second.message(({ params }) => params?.progress === 3);
      nodes.release();
      await second.ended;
      expect(second.messages.map(({ id, params }) => params?.progress ?? id)).toEqual([2, 3, 4, 1]);
      const again = await resume(3, session, after);
      await again.ended;
      expect(again.events).toEqual(second.events);
      const none = await resume(0, session, lastId(second));
      await none.ended;
      expect(none.events).toEqual([]);
    });

    it("delivers the response of a detached call", async () => {
      const session = await openSpread();
      const events = await openEvents(url(1), { headers: session, message: call("detach", {}, 9) });
      await events.ended;
      expect(events.events).toMatchObject([{ retry: "1000", data: "" }]);
      const resumed = await resume(2, session, lastId(events));
      nodes.release();
      expect((await resumed.message(({ id }) => id === 9)).result.content[0].text).toBe("after all");
      await resumed.ended;
    });

    it("does not depend on hints", async () => {
      const session = await openSpread({ keepAliveInterval: 20 });
      const first = await openEvents(url(1), { headers: session, message: call("tell", {}, 1, META) });
      await first.message(({ params }) => params?.progress === 1);
      first.close();
      cluster.isDeaf = true;
      const second = await resume(2, session, lastId(first));
      nodes.release();
      await second.message(({ id }) => id === 1);
      await second.ended;
      expect(second.messages).toHaveLength(2);
    });

    it("does not depend on a fast store", async () => {
      const session = await openSpread({ keepAliveInterval: 5 });
      const first = await openEvents(url(1), { headers: session, message: call("tell", {}, 1, META) });
      await first.message(({ params }) => params?.progress === 1);
      cluster.delay = 60;
      cluster.isDeaf = true;
      const second = await resume(2, session, lastId(first));
      nodes.release();
      await second.message(({ id }) => id === 1);
      await second.ended;
      expect(second.messages).toHaveLength(2);
    });

    it("comes back to the node that runs the call", async () => {
      const session = await openSpread();
      const first = await openEvents(url(1), { headers: session, message: call("tell", { steps: 3 }, 1, META) });
      await first.message(({ params }) => params?.progress === 2);
      first.close();
      const second = await resume(2, session, lastId(first));
      const third = await resume(1, session, lastId(first));
      nodes.release();
      await third.ended;
      expect(third.messages.map(({ id, params }) => params?.progress ?? id)).toEqual([3, 1]);
      second.close();
    });

    it("never mixes streams or sessions, and refuses places that are not its own", async () => {
      const session = await openSpread();
      const [a, b] = await Promise.all(
        ["a", "b"].map(async (id) => {
          const events = await openEvents(url(1), {
            headers: session,
            message: call("tell", {}, id, { progressToken: id }),
          });
          await events.message(({ params }) => params?.progress === 1);
          return events;
        }),
      );
      const foreign = await openSession(url(0));
      for (const id of [
        ...[lastId(a as EventClient), "1-0", "0-0", "AAAAAAAAAAAA.1-1", "g99-0", "__proto__", "", "x".repeat(8000)],
        ...[
          (lastId(a as EventClient) ?? "").replace(/\d+$/, "999"),
          (lastId(a as EventClient) ?? "").replace(/\d+$/, "0"),
        ],
      ]) {
        for (const headers of id === lastId(a as EventClient) ? [foreign] : [foreign, session]) {
          const { status } = await send(url(2), { headers: { ...EVENTS, ...headers, "last-event-id": id } });
          expect({ id, status }).toEqual({ id, status: 400 });
        }
      }
      a?.close();
      b?.close();
      const resumed = await Promise.all([
        resume(2, session, lastId(a as EventClient)),
        resume(3, session, lastId(b as EventClient)),
      ]);
      nodes.release();
      await Promise.all(resumed.map(({ ended }) => ended));
      const ends = resumed.map(({ messages }) => messages.map(({ id, params }) => id ?? params.progressToken));
      expect(ends).toEqual([
        ["a", "a"],
        ["b", "b"],
      ]);
    });

    it("refuses a place whose events were too large to keep", async () => {
      const session = await openSpread({ sessions: { maxReplayBytes: 300 } });
      const first = await openEvents(url(1), { headers: session, message: call("tell", { steps: 20 }, 1, META) });
      await first.message(({ params }) => params?.progress === 19);
      const { id } = first.events[1] as { id: string };
      expect((await send(url(2), { headers: { ...EVENTS, ...session, "last-event-id": id } })).status).toBe(400);
    });
  });

  describe("sessions while the store is away", () => {
    it("answer 503 with Retry-After, are never found, and go on afterwards", async () => {
      const session = await openSpread();
      await post(url(1), call("count"), session);
      cluster.isAway = true;
      const params = { protocolVersion: LEGACY, capabilities: {} };
      const responses = [
        await post(url(1), call("count"), session),
        await post(url(1), { jsonrpc: "2.0", method: "notifications/initialized" }, session),
        await post(url(1), answer("proffer-1"), session),
        await post(url(2), legacy("initialize", params)),
        await send(url(2), { headers: { ...EVENTS, ...session } }),
        await send(url(2), { headers: { ...EVENTS, ...session, "last-event-id": "g1-0" } }),
        await send(url(3), { method: "DELETE", headers: session }),
      ];
      for (const { status, headers } of responses) {
        expect({ status, retry: headers["retry-after"] }).toEqual({ status: 503, retry: "1" });
        expect(headers["mcp-session-id"]).toBeUndefined();
      }
      expect((await postModern(url(1), modern("tools/list"))).status).toBe(200);
      cluster.isAway = false;
      expect(text(await post(url(2), call("count"), session))).toBe("2");
    });

    it("refuse an answer whose data could not be saved", async () => {
      const session = await openSpread();
      const waiting = post(url(1), call("set_slowly", { key: "a", value: 1 }), session);
      await begun("set_slowly");
      cluster.isAway = true;
      nodes.release();
      const { status, json } = await waiting;
      expect({ status, id: json.id, code: json.error.code }).toEqual({ status: 503, id: 1, code: -31000 });
      cluster.isAway = false;
      expect(text(await post(url(2), call("get", { key: "a" }), session))).toBe("null");
    });

    it("still deliver the events of a call to a client that is connected, and keep them once it is back", async () => {
      const session = await openSpread({ keepAliveInterval: 20 });
      const events = await openEvents(url(1), { headers: session, message: call("tell", {}, 1, { progressToken: 1 }) });
      await events.message(({ params }) => params?.progress === 1);
      const after = lastId(events);
      cluster.isAway = true;
      nodes.release();
      await events.ended;
      expect(events.messages.map(({ id, params }) => params?.progress ?? id)).toEqual([1, 2, 1]);
      cluster.isAway = false;
      await expect
        .poll(async () => {
          const resumed = await resume(2, session, after);
          const isEnded = await Promise.race([
            resumed.ended.then(() => true),
            new Promise((done) => setTimeout(done, 50)),
          ]);
          resumed.close();
          return isEnded === true ? resumed.messages.length : 0;
        })
        .toBe(2);
    });
  });

  describe("the SSE pair of 2024-11-05", () => {
    async function openPair(node: number, headers: Headers = {}) {
      const events = await openEvents(`${url(node)}/sse`, { headers });
      await expect.poll(() => events.events.length).toBe(1);
      const { search } = new URL(events.events[0]?.data ?? "", `${url(node)}/sse`);
      return { events, messages: (other: number) => `${url(other)}/messages${search}` };
    }

    it("accepts messages on every node, in order, and answers on its stream", async () => {
      await openCluster({ legacySse: true });
      const { events, messages } = await openPair(1);
      const params = { protocolVersion: "2024-11-05", capabilities: { roots: {} } };
      expect((await post(messages(2), legacy("initialize", params, 0))).status).toBe(202);
      expect((await events.message(({ id }) => id === 0)).result.protocolVersion).toBe("2024-11-05");
      for (let id = 1; id <= 8; id++) expect((await post(messages(id % 4), call("count", {}, id))).status).toBe(202);
      await expect.poll(() => events.messages.filter(({ id }) => id > 0).length).toBe(8);
      const counts = events.messages.filter(({ id }) => id > 0).map(({ result }) => Number(result.content[0].text));
      expect(counts).toEqual([1, 2, 3, 4, 5, 6, 7, 8]);
      events.close();
      await expect.poll(async () => (await post(messages(2), legacy("ping"))).status).toBe(404);
    });

    it("finds waiting messages after a gap in the bus", async () => {
      await openCluster({ legacySse: true });
      const { events, messages } = await openPair(1);
      cluster.isDeaf = true;
      await post(messages(2), legacy("initialize", { protocolVersion: "2024-11-05", capabilities: {} }, 0));
      cluster.isDeaf = false;
      cluster.missed();
      await events.message(({ id }) => id === 0);
    });

    it("does not exist for another caller, and is not found while the store is away", async () => {
      const authenticate = (request: { header(name: string): string | undefined }) => {
        const id = request.header("authorization");
        return id === undefined ? undefined : { id };
      };
      await openCluster({ legacySse: true, authenticate });
      const { messages } = await openPair(1, { authorization: "ada" });
      for (const node of [1, 2]) {
        expect((await post(messages(node), legacy("ping"), { authorization: "eve" })).status).toBe(404);
      }
      expect((await post(`${url(2)}/messages?session=x`, legacy("ping"))).status).toBe(404);
      cluster.isAway = true;
      expect((await post(messages(2), legacy("ping"), { authorization: "ada" })).status).toBe(503);
      expect((await send(`${url(2)}/sse`, { headers: EVENTS })).status).toBe(503);
    });
  });

  describe("sessions of callers", () => {
    it("do not exist for another caller, on no node, also while the store fails", async () => {
      const authenticate = (request: { header(name: string): string | undefined }) => {
        const id = request.header("authorization");
        return id === undefined ? undefined : { id };
      };
      await openCluster({ authenticate });
      const [ada, eve] = [{ authorization: "ada" }, { authorization: "eve" }];
      const session = await openSession(url(0), LEGACY, ada, CAPABILITIES);
      const stolen = { ...session, ...eve };
      const nobody = { ...session, authorization: undefined };
      for (const node of [0, 1, 2, 3]) {
        for (const headers of [stolen, nobody]) {
          expect(await ping(node, headers)).toBe(404);
          for (const method of ["GET", "DELETE"]) {
            expect((await send(url(node), { method, headers: { ...EVENTS, ...headers } as never })).status).toBe(404);
          }
        }
      }
      cluster.isAway = true;
      expect(await ping(1, stolen)).toBe(503);
      cluster.isAway = false;
      expect(await ping(1, session)).toBe(200);
      const record = await recordOf(session);
      for (const secret of ["ada", "test", "elicitation", LEGACY]) expect(record).not.toContain(secret);
    });

    it("end if their record was changed by someone else", async () => {
      const session = await openSpread();
      const other = await openSession(url(0));
      const [key, from] = [session, other].map((each) => `spread session ${each["mcp-session-id"]}`) as [
        string,
        string,
      ];
      const { h = "" } = (await cluster.store.read(from)) ?? {};
      await cluster.store.change(key, { set: { h } });
      for (const node of [0, 1]) expect(await ping(node, session)).toBe(404);
      expect(await ping(1, other)).toBe(200);
    });
  });
}

/** The record of a session, as text. */
async function recordOf(session: Headers): Promise<string> {
  return JSON.stringify(await cluster.store.read(`spread session ${session["mcp-session-id"]}`));
}

function logOf(session: Headers, stream: string) {
  return cluster.store.since(`spread session ${session["mcp-session-id"]} ${stream}`, 0);
}

/** Whether an update that the node of the stream reports reaches the client. */
async function notified(events: EventClient, uri: string): Promise<boolean> {
  nodes.servers[1]?.notify(uri);
  await new Promise((resolve) => setTimeout(resolve, 20));
  return methods(events).includes(uri);
}
