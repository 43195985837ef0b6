import { type Cluster, type LogEntry, type Server, type SharedStore, UsageError } from "proffer";
import { serveHttp } from "proffer/http";
import { defineObserver } from "proffer/observe";
import { connect, memoryCluster } from "proffer/testing";
import { afterAll, afterEach, describe, expect, it } from "vitest";
import { FEATURES } from "../../src/features/features.ts";
import { nodeName } from "../../src/nodes/topics.ts";
import type { FeatureRow } from "../../src/server/feature.ts";
import { requireLifespan } from "../../src/server/lifespan.ts";
import { stateOf } from "../../src/server/server.ts";
import { openGate } from "../gate.ts";
import { modern, postModern, send } from "../http/http-client.ts";
import { serveTool } from "../one-tool.ts";
import { defineNode } from "./nodes.ts";

const closing: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0)) await close();
});

async function serve(server: Server) {
  const service = await serveHttp(server, { port: 0, health: true });
  closing.push(() => service.close());
  const probe = async () => {
    const { status, body } = await send(`http://127.0.0.1:${service.port}/readyz`, { method: "GET" });
    return `${status} ${body}`;
  };
  return { service, probe };
}

/** A store that fails while `isAway`. */
function moody() {
  const { store } = memoryCluster();
  const state = { isAway: true };
  const proxy = new Proxy(store, {
    get: (target, name) => {
      if (name === "ping") return undefined;
      return state.isAway ? () => Promise.reject(new Error("away")) : Reflect.get(target, name).bind(target);
    },
  });
  return { state, store: proxy as SharedStore };
}

describe("a node", () => {
  it("has a random name of its own per server", () => {
    const [one, two] = [defineNode(memoryCluster()), defineNode(memoryCluster())].map(stateOf);
    if (one === undefined || two === undefined) throw new Error("no servers");
    expect(nodeName(one)).toMatch(/^[\w-]{12}$/);
    expect(nodeName(one)).toBe(nodeName(one));
    expect(nodeName(one)).not.toBe(nodeName(two));
  });

  it("is reported to observers when a transport serves the server", async () => {
    const events: unknown[] = [];
    const observe = defineObserver({ event: (event) => events.push(event) });
    const server = defineNode(memoryCluster(), { observe });
    const clients = [await connect(server), await connect(server)];
    const joined = { type: "node_joined", node: nodeName(stateOf(server)) };
    await expect.poll(() => events.filter((event) => (event as typeof joined).type === joined.type)).toEqual([joined]);
    for (const client of clients) await client.close();
  });

  it("warns about missing keys, unless its cluster is memory", async () => {
    const messages = async (cluster: Cluster, keys?: readonly Uint8Array[]) => {
      const entries: LogEntry[] = [];
      const server = defineNode(cluster, { log: (entry) => entries.push(entry), ...(keys && { keys }) });
      await (await connect(server)).close();
      return entries.map(({ level, message }) => `${level}: ${message}`);
    };
    const foreign = { ...memoryCluster(), store: bound(memoryCluster().store) };
    expect(await messages(memoryCluster())).toEqual([]);
    expect(await messages(foreign, [new Uint8Array(32)])).toEqual([]);
    expect(await messages(foreign)).toEqual([expect.stringMatching(/^warning: .* openssl rand -base64 32$/)]);
  });

  it("is unavailable while its store or queue does not work, and serves calls meanwhile", async () => {
    const { state, store } = moody();
    const queue = {
      ...bound(memoryCluster().queue),
      waiting: () => (state.isAway ? Promise.reject(new Error("away")) : 0),
    };
    const server = serveTool(() => "done", { cluster: { ...memoryCluster(), store, queue } });
    const { service, probe } = await serve(server);
    expect(await probe()).toBe("503 unavailable store queue");
    const { status } = await postModern(service.url, modern("tools/call", { name: "t", arguments: {} }));
    expect(status).toBe(200);
    state.isAway = false;
    expect(await probe()).toBe("200 ok");
    const { operations, errors } = server.metrics().store ?? {};
    expect({ operations, errors }).toEqual({ operations: 0, errors: 0 });
  });

  it("counts a queue that cannot tell as ready", async () => {
    const { probe } = await serve(serveTool(() => "done", { cluster: memoryCluster() }));
    expect(await probe()).toBe("200 ok");
  });
});

/** Ends the work of a feature that the next server has; undefined if it has none. */
let drain: (() => Promise<void>) | undefined;
const row: FeatureRow = {
  isNeeded: () => drain !== undefined,
  hasLifespan: true,
  load: async () => ({
    feature: {
      // With 0 milliseconds, it is asked once more before `onStop`.
      drain: async (_server, milliseconds) => (milliseconds > 0 ? drain?.() : undefined),
    },
  }),
};
const table = FEATURES as FeatureRow[];
table.push(row);
afterEach(() => {
  drain = undefined;
});
afterAll(() => void table.splice(table.indexOf(row), 1));

describe("the work beside calls", () => {
  it("stops before calls in flight are answered, ends before onStop, and clients close last", async () => {
    const order: string[] = [];
    const [call, work] = [openGate(), openGate()];
    drain = async () => {
      order.push("no more work");
      await work.opened;
      order.push("work handed over");
    };
    const server = serveTool(
      async () => {
        order.push("called");
        await call.opened;
        return "done";
      },
      { cluster: memoryCluster(), onStop: () => order.push("onStop") },
    );
    requireLifespan(stateOf(server)).onClosed(async () => order.push("closed"));
    const { service } = await serve(server);
    const answer = postModern(service.url, modern("tools/call", { name: "t", arguments: {} }));
    await expect.poll(() => order).toEqual(["called"]);
    const closed = service.close(60_000);
    expect(order).toEqual(["called", "no more work"]);
    call.open();
    expect((await answer).status).toBe(200);
    work.open();
    await closed;
    expect(order).toEqual(["called", "no more work", "work handed over", "onStop", "closed"]);
  });

  it("goes on while another transport serves the server, and a transport that closes twice counts once", async () => {
    const order: string[] = [];
    drain = async () => void order.push("drain");
    const server = serveTool(() => "done", { cluster: memoryCluster() });
    const [first, second] = [await serve(server), await serve(server)];
    await first.service.close();
    await first.service.close();
    expect(order).toEqual([]);
    await second.service.close();
    expect(order).toEqual(["drain"]);
  });

  it("that cannot be stopped is logged, and the rest still stops", async () => {
    const order: string[] = [];
    const log: string[] = [];
    drain = () => {
      throw new UsageError("no", "wrong_use");
    };
    const server = serveTool(() => "done", {
      onStop: () => order.push("onStop"),
      log: (entry) => log.push(entry.message),
    });
    await (await connect(server)).close();
    expect(order).toEqual(["onStop"]);
    expect(log).toEqual(["Work of the server could not be stopped"]);
  });
});

/** The methods of a port as properties, without its class. */
function bound<Port extends object>(port: Port): Port {
  const names = ["claim", "count", "read", "change", "remove", "append", "since", "push", "work"] as (keyof Port)[];
  const methods = names.filter((name) => typeof port[name] === "function");
  return Object.fromEntries(methods.map((name) => [name, (port[name] as () => void).bind(port)])) as Port;
}
