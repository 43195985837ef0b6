import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { GlideClusterClient, Logger } from "@valkey/valkey-glide";
import { Cluster, Redis } from "ioredis";
import { type RedisClient, redis } from "proffer/redis";
import { createClient, createCluster } from "redis";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { joined, recorder } from "./bus-contract.ts";
import { findEngine, startEngine } from "./engine.ts";

Logger.setLoggerConfig("off");
const found = findEngine(process.env);
const folder = mkdtempSync(join(tmpdir(), "proffer-cluster-"));
const args = ["--cluster-enabled", "yes", "--cluster-announce-ip", "127.0.0.1", "--dir", folder, "--save", ""];
const engine = found?.kind === "native" ? await startEngine(found, args) : undefined;
const host = "127.0.0.1";
const port = engine?.port ?? 0;

interface Opened {
  readonly client: RedisClient;
  readonly subscriber?: RedisClient;
  close(): void;
}

const CLUSTERS: readonly (readonly [string, () => Promise<Opened>])[] = [
  [
    "ioredis",
    async () => {
      const client = new Cluster([{ host, port }]);
      const subscriber = new Redis({ host, port });
      return { client, subscriber, close: () => [client, subscriber].map((own) => own.disconnect()) };
    },
  ],
  [
    "node-redis",
    async () => {
      const client = createCluster({ rootNodes: [{ socket: { host, port } }] });
      await client.connect();
      const subscriber = createClient({ socket: { host, port } });
      return { client, subscriber, close: () => client.destroy() };
    },
  ],
  [
    "valkey-glide",
    async () => {
      const client = await GlideClusterClient.createClient({ addresses: [{ host, port }], requestTimeout: 5_000 });
      return { client, close: () => client.close() };
    },
  ],
];

describe.skipIf(engine === undefined)("a Redis Cluster", () => {
  beforeAll(async () => {
    const admin = new Redis({ host, port });
    await admin.call("CLUSTER", "ADDSLOTSRANGE", "0", "16383");
    while (!String(await admin.cluster("INFO")).includes("cluster_state:ok")) {
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
    admin.disconnect();
  });
  afterAll(async () => {
    await engine?.stop();
    rmSync(folder, { recursive: true });
  });

  it.each(CLUSTERS)("serves as store and bus through %s", async (name, open) => {
    const { client, subscriber, close } = await open();
    const node = redis(client, { prefix: name, commandTimeout: 60_000, ...(subscriber && { subscriber }) });
    const { store, bus } = node;
    for (let key = 0; key < 20; key++) {
      expect(await store.claim(`${key}`, 60_000)).toBe(true);
      expect(await store.count(`${key}`, 60_000)).toBe(1);
      expect((await store.change(`${key}`, { set: { x: "1" } })).fields).toEqual({ x: "1" });
      expect(await store.read(`${key}`)).toEqual({ x: "1" });
      await store.append(`${key}`, [{ place: 1, text: "t" }], { entries: 9, bytes: 99, milliseconds: 60_000 });
      expect(await store.since(`${key}`, 0)).toHaveLength(1);
      await store.remove(`${key}`);
    }
    const { state, listener } = recorder();
    const leave = bus.subscribe("topic", listener);
    await joined(bus, bus, "topic");
    await bus.publish("topic", "message");
    await expect.poll(() => state.heard).toContain("message");
    leave();
    node.close();
    close();
  });

  it("needs a client of one server for subscriptions with a cluster of ioredis or node-redis", async () => {
    const client = new Cluster([{ host, port }], { lazyConnect: true });
    expect(() => redis(client)).toThrow("option subscriber");
    expect(() => redis(client, { durability: "replicated", subscriber: new Redis({ lazyConnect: true }) })).toThrow(
      "does not work with a cluster of ioredis",
    );
  });
});
