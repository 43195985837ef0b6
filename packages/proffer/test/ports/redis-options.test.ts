import { readFileSync } from "node:fs";
import { Redis } from "ioredis";
import { bullmq } from "proffer/bullmq";
import { redis } from "proffer/redis";
import { expect, it } from "vitest";
import { joined } from "./bus-contract.ts";
import { CLIENTS } from "./clients.ts";
import { describeWithEngine, sharedEngine } from "./engine.ts";

it.each([
  [{ prefix: "" }, "prefix"],
  [{ prefix: 5 }, "prefix"],
  [{ commandTimeout: 0 }, "commandTimeout"],
  [{ commandTimeout: Number.POSITIVE_INFINITY }, "commandTimeout"],
  [{ maxInFlight: "many" }, "maxInFlight"],
  [{ durability: "always" }, "durability"],
])("redis refuses the options %j", (options, name) => {
  const client = { call: async () => null, duplicate: () => client };
  expect(() => redis(client, options as object)).toThrow(name);
});

it("redis refuses a client that it cannot duplicate for subscriptions", () => {
  expect(() => redis({ call: async () => null })).toThrow("has no method duplicate");
});

it("redis refuses a client that it does not know", () => {
  for (const client of [{}, null, undefined, "redis://localhost"]) {
    expect(() => redis(client as never)).toThrow("not a client of ioredis");
  }
});

it.each([
  [{}, "Queue and Worker"],
  [{ Queue: class {}, Worker: class {} }, "connection"],
  [{ Queue: class {}, Worker: class {}, connection: {}, prefix: "{a}" }, "prefix"],
  [{ Queue: class {}, Worker: class {}, connection: {}, lockDuration: -1 }, "lockDuration"],
])("bullmq refuses the options %j", (options, text) => {
  expect(() => bullmq(options as never)).toThrow(text);
});

it("a worker of bullmq asks again soon after Redis refused a command", () => {
  const settings: { runRetryDelay?: number }[] = [];
  class Worker {
    constructor(_name: string, _run: unknown, given: { runRetryDelay?: number }) {
      settings.push(given);
    }
    on() {}
  }
  const queue = bullmq({ Queue: class {}, Worker, connection: {} } as never);
  queue.work(async () => {}, { concurrency: 1 });
  // BullMQ's own value is 15 seconds, in which the worker does nothing at all.
  expect(settings).toEqual([expect.objectContaining({ runRetryDelay: 1_000 })]);
});

const engine = await sharedEngine();
let keys = 0;

describeWithEngine("advice on the configuration of Redis", engine, ({ host, port, kind }) => {
  it.skipIf(kind === "address")("warns of settings with which data are lost, unless it may not read them", async () => {
    const client = new Redis({ host, port });
    const { store } = redis(client, { commandTimeout: 60_000 });
    await store.ping?.();
    const loses = expect.stringContaining("a restart loses all tasks and sessions");
    expect(await store.advice?.()).toEqual([loses]);
    await client.config("SET", "maxmemory-policy", "allkeys-lru");
    expect(await store.advice?.()).toEqual([expect.stringContaining("maxmemory-policy allkeys-lru"), loses]);
    await client.config("SET", "maxmemory-policy", "noeviction");
    await client.call("ACL", "SETUSER", "limited", "on", ">word", "~*", "&*", "+@all", "-config");
    const limited = new Redis({ host, port, username: "limited", password: "word" });
    expect(await redis(limited, { commandTimeout: 60_000 }).store.advice?.()).toEqual([]);
    await client.call("ACL", "DELUSER", "limited");
    client.disconnect();
    limited.disconnect();
  });

  it.skipIf(kind === "address")("needs no commands, keys and channels beyond the documented ACL", async () => {
    const guide = readFileSync(new URL("../../../../docs/redis.md", import.meta.url), "utf8");
    const [, rules = ""] = /^ACL SETUSER proffer on >secret (.*)$/m.exec(guide.replaceAll("\\\n", " ")) ?? [];
    const admin = new Redis({ host, port });
    await admin.call("ACL", "SETUSER", "documented", "on", ">word", ...rules.split(/\s+/));
    await admin.script("FLUSH");
    for (const [, connect] of CLIENTS) {
      const client = await connect({ host, port }, { username: "documented", password: "word" });
      const node = redis(client.client, { prefix: "proffer", commandTimeout: 60_000, durability: "replicated" });
      const { store, bus } = node;
      await store.ping?.();
      const key = `acl ${++keys}`;
      await store.claim(key, 1_000);
      await store.count(key, 1_000);
      const change = { if: { a: undefined }, add: { n: 1 }, remove: ["x"], removePrefix: "j:", set: { x: "1" } };
      await store.change(key, { ...change, setOnce: { y: "1" }, stamp: ["at"], expire: 60_000 });
      await store.change(key, { removePrefix: "y", returning: ["x"] });
      expect(await Promise.resolve(store.change(key, { durable: true })).catch(({ reason }) => reason)).toBe(
        "replicas",
      );
      await store.read(key, ["none"]);
      await store.read(key, []);
      expect(await store.read(key)).toMatchObject({ n: "1", x: "1" });
      const limits = { entries: 1, bytes: 1, milliseconds: 60_000 };
      await store.append(key, [{ place: 1, text: "long" }], limits);
      await store.append(key, [{ place: 2, text: "t" }], limits);
      await store.since(key, 0);
      await store.remove(key);
      const leave = bus.subscribe(key, { heard: () => {}, missed: () => {} });
      await joined(bus, bus, key);
      leave();
      node.close();
      client.close();
    }
    await admin.call("ACL", "DELUSER", "documented");
    admin.disconnect();
  });
});
