import { Redis } from "ioredis";
import { redis, StoreUnavailable } from "proffer/redis";
import { afterAll, afterEach, beforeAll, expect, it } from "vitest";
import { joined, recorder } from "./bus-contract.ts";
import { CLIENTS, type TestClient } from "./clients.ts";
import { type CuttingProxy, startProxy } from "./cutting-proxy.ts";
import { describeWithEngine, type Engine, findEngine, startEngine } from "./engine.ts";

const found = findEngine(process.env);
// These tests kill, freeze and empty the engine: it must not be one that somebody else uses.
const engine = found === undefined || found.kind === "address" ? undefined : await startEngine(found);
const native = engine?.kind === "native";
let tests = 0;

afterAll(() => engine?.stop());

/** Resolves to the reason of a refused call, or to its value. */
function outcome<Value>(call: Promise<Value> | Value): Promise<Value | string> {
  return Promise.resolve(call).catch((error: unknown) => {
    if (error instanceof StoreUnavailable) return error.reason;
    throw error;
  });
}

for (const [name, connect] of CLIENTS) {
  describeWithEngine(`Redis that fails, through ${name}`, engine, (engine: Engine) => {
    let [client, admin]: [TestClient?, Redis?] = [];
    let proxy: CuttingProxy | undefined;
    let node = {} as ReturnType<typeof redis>;
    const open = async (address: Pick<Engine, "host" | "port">, options: object = {}) => {
      client = await connect(address);
      node = redis(client.client, { prefix: `${name} ${++tests}`, commandTimeout: 300, ...options });
      await expect.poll(() => outcome(node.store.claim("connected", 60_000))).toBeTypeOf("boolean");
    };
    beforeAll(async () => {
      admin = new Redis({ port: engine.port, maxRetriesPerRequest: null, retryStrategy: () => 20 });
      admin.on("error", () => {});
      await admin.ping();
    });
    afterEach(() => {
      node.close();
      client?.close();
      proxy?.close();
    });
    afterAll(() => admin?.disconnect());

    it("answers while the engine is frozen, and recovers", async () => {
      await open(engine);
      await node.store.change("record", { set: { x: "1" } });
      engine.signal("SIGSTOP");
      const first = await outcome(node.store.change("late", { if: { v: undefined }, set: { v: "1" }, add: { n: 1 } }));
      expect(first).toBe("timeout");
      const calls = [
        () => node.store.claim("k", 1_000),
        () => node.store.count("k", 1_000),
        () => node.store.read("record"),
        () => node.store.remove("k"),
        () => node.store.append("k", [{ place: 1, text: "t" }], { entries: 1, bytes: 1, milliseconds: 1_000 }),
        () => node.store.since("k", 0),
        () => node.bus.publish("k", "m"),
        () => node.store.ping?.(),
      ];
      const outcomes = await Promise.all(calls.map((call) => outcome(call())));
      expect(new Set(outcomes)).toEqual(new Set(["timeout"]));
      expect(await outcome(node.store.read("record"))).toBe("suspended");
      engine.signal("SIGCONT");
      await expect.poll(() => outcome(node.store.read("record"))).toEqual({ x: "1" });
      // It was executed later, if at all, and once.
      expect([undefined, { v: "1", n: "1" }]).toContainEqual(await node.store.read("late"));
    });

    it("answers while the engine is away, and recovers when it is back without its data", async () => {
      await open(engine);
      await node.store.change("record", { set: { x: "1" } });
      const { state, listener } = recorder();
      const leave = node.bus.subscribe("topic", listener);
      await joined(node.bus, node.bus, "topic");
      const missed = state.missed;
      engine.signal("SIGKILL");
      const reasons = new Set<unknown>();
      for (let call = 0; call < 8; call++) reasons.add(await outcome(node.store.change("x", { set: { x: "2" } })));
      expect(["timeout", "disconnected", "suspended"]).toEqual(expect.arrayContaining([...reasons]));
      expect(reasons).toContain("suspended");
      await engine.restart();
      await expect.poll(() => outcome(node.store.read("record"))).toBeUndefined();
      await expect.poll(() => state.missed).toBeGreaterThan(missed);
      await expect.poll(() => outcome(node.bus.publish("topic", "again"))).toBeUndefined();
      await expect
        .poll(async () => {
          await outcome(node.bus.publish("topic", "again"));
          return state.heard.includes("again");
        })
        .toBe(true);
      leave();
    });

    it("reports a gap when only the connection for subscriptions was cut", async () => {
      await open(engine, { commandTimeout: 60_000 });
      const { state, listener } = recorder();
      const leave = node.bus.subscribe("topic", listener);
      await joined(node.bus, node.bus, "topic");
      const { missed } = state;
      await admin?.call("CLIENT", "KILL", "TYPE", "pubsub");
      await expect.poll(() => state.missed).toBeGreaterThan(missed);
      // From the report on, everything arrives.
      await node.bus.publish("topic", "after");
      await expect.poll(() => state.heard).toContain("after");
      leave();
    });

    it("goes on when the engine was emptied of data and scripts", async () => {
      await open(engine, { commandTimeout: 60_000 });
      const before = await node.store.change("record", { set: { x: "1" } });
      await node.store.change("record", { set: { x: "2" } });
      await admin?.flushall();
      await admin?.script("FLUSH");
      expect(await node.store.read("record")).toBeUndefined();
      expect(await node.store.change("record", { if: { x: "2" }, set: { x: "3" } })).toEqual({
        made: false,
        fields: {},
      });
      expect(await node.store.change("record", { set: { x: "1" } })).toEqual(before);
      expect(await node.store.since("log", 0)).toBeUndefined();
    });

    it("changes nothing if memory is full, and still reads and removes", async () => {
      await open(engine, { commandTimeout: 60_000 });
      await node.store.change("record", { set: { x: "1", gone: "1" } });
      await node.store.change("withdrawn", { set: { x: "1" } });
      await admin?.config("SET", "maxmemory", "1mb");
      const change = { removePrefix: "gone", set: { y: "2" }, add: { n: 1 } };
      for (let call = 0; call < 8; call++) expect(await outcome(node.store.change("record", change))).toBe("full");
      expect(await outcome(node.store.claim("k", 1_000))).toBe("full");
      expect(await node.store.read("record")).toEqual({ x: "1", gone: "1" });
      expect((await node.store.change("record", { remove: ["gone"] })).fields).toEqual({ x: "1" });
      await node.store.remove("record");
      const withdrawal = { expire: 0, returning: ["x"] };
      expect((await node.store.change("withdrawn", { ...withdrawal, if: { x: "2" } })).made).toBe(false);
      expect((await node.store.change("withdrawn", { ...withdrawal, if: { x: "1" } })).made).toBe(true);
      expect(await node.store.read("withdrawn")).toBeUndefined();
      await admin?.config("SET", "maxmemory", "0");
      expect((await node.store.change("record", change)).made).toBe(true);
    });

    it("applies each change once if connections are cut in the middle of replies", async () => {
      proxy = await startProxy(engine);
      await open(proxy, { commandTimeout: 2_000 });
      let claimed: unknown = "";
      for (let step = 0; step < 10; step++) {
        proxy.cutNext(1);
        const change = { set: { epoch: "1" }, setOnce: { [`step ${step}`]: `${step}` } };
        // After an unknown outcome, the caller repeats the change, here with another value.
        const again = { ...change, setOnce: { [`step ${step}`]: `${step} again` } };
        const first = await outcome(node.store.change("task", change));
        if (typeof first === "string")
          await expect.poll(() => outcome(node.store.change("task", again))).toBeTypeOf("object");
        proxy.cutNext(1);
        claimed = await outcome(node.store.claim(`claim ${step}`, 60_000));
        // A claim that was sent again by the library sees itself.
        expect(claimed).not.toBe(false);
      }
      expect(proxy.cuts).toBeGreaterThan(5);
      proxy.cutNext(0);
      await expect.poll(() => outcome(node.store.read("task"))).toBeTypeOf("object");
      const task = (await node.store.read("task")) as object;
      expect(Object.keys(task).sort()).toEqual(
        ["epoch", ...Array.from({ length: 10 }, (_, step) => `step ${step}`)].sort(),
      );
    });

    it.skipIf(!native)("says that a replica cannot be written, and recovers when it is promoted", async () => {
      await open(engine, { commandTimeout: 60_000 });
      await node.store.change("record", { set: { x: "1" } });
      await admin?.replicaof("127.0.0.1", "1");
      expect(await outcome(node.store.change("record", { set: { x: "2" } }))).toBe("readonly");
      expect(await outcome(node.store.claim("k", 1_000))).toBe("readonly");
      await admin?.replicaof("NO", "ONE");
      await expect
        .poll(() => outcome(node.store.change("record", { set: { y: "1" } })))
        .toMatchObject({
          fields: { x: "1", y: "1" },
        });
    });

    it.skipIf(!native)("confirms durable changes when a replica has them", async () => {
      if (found === undefined) return;
      await open(engine, { durability: "replicated", commandTimeout: 60_000 });
      const change = { set: { x: "1" }, durable: true };
      expect(await outcome(node.store.change("record", change))).toBe("replicas");
      // Made here, and repeated without harm.
      expect(await node.store.read("record")).toEqual({ x: "1" });
      await admin?.config("SET", "repl-diskless-sync-delay", "0");
      const replica = await startEngine(found, ["--save", "", "--replicaof", "127.0.0.1", String(engine.port)]);
      await expect.poll(() => outcome(node.store.change("record", change))).toMatchObject({ made: true });
      const other = new Redis({ port: replica.port });
      expect(await other.hgetall(`${name} ${tests}:r:record`)).toEqual({ x: "1" });
      other.disconnect();
      await replica.stop();
      expect((await node.store.change("record", { set: { y: "1" } })).made).toBe(true);
    });

    it.skipIf(!native)("does not confirm a durable change that a failover has lost", async () => {
      if (found === undefined) return;
      const next = await startEngine(found, ["--save", "", "--repl-diskless-sync-delay", "0"]);
      const replica = await startEngine(found, ["--save", "", "--replicaof", "127.0.0.1", String(next.port)]);
      const other = new Redis({ port: next.port });
      await expect.poll(() => other.info("replication")).toContain("state=online");
      proxy = await startProxy(engine);
      await open(proxy, { durability: "replicated", commandTimeout: 2_000 });
      await outcome(node.store.change("record", { set: { x: "1" }, durable: true }));
      // Made on the primary, which waits for a replica when it is lost; the next one has a replica, but not the change.
      const change = outcome(node.store.change("lost", { set: { x: "1" }, durable: true }));
      await expect.poll(() => admin?.exists(`${name} ${tests}:r:lost`)).toBe(1);
      proxy.retarget(next);
      expect(await change).toBeTypeOf("string");
      await expect.poll(() => outcome(node.store.read("lost"))).toBeUndefined();
      other.disconnect();
      await replica.stop();
      await next.stop();
    });
  });
}
