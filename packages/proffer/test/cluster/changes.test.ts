import { type Cluster, defineResource, type Server, UsageError, type WatchEvents } from "proffer";
import { createFacade, runInBackground } from "proffer/derived";
import { serveHttp } from "proffer/http";
import { connect, memoryCluster, type TestClient } from "proffer/testing";
import { afterEach, describe, expect, it } from "vitest";
import { EVERY } from "../versions.ts";
import { defineNode, FaultyBus } from "./nodes.ts";

const clients: TestClient[] = [];
afterEach(async () => {
  for (const client of clients.splice(0)) await client.close();
});

/** Connects a client that listens to URIs. */
async function listen(server: Server, uris: readonly string[], revision?: string): Promise<TestClient> {
  const client = await connect(server, revision === undefined ? {} : { revision });
  clients.push(client);
  await client.listen({ uris: [...uris] });
  return client;
}

/** The URIs that a client was notified of. */
function updates({ notifications }: TestClient): unknown[] {
  return notifications.filter(({ method }) => method.endsWith("/updated")).map(({ params }) => params.uri);
}

/** Waits until a client was notified of each URI. */
async function heard(client: TestClient, ...uris: string[]): Promise<void> {
  await expect.poll(() => updates(client)).toEqual(expect.arrayContaining(uris));
}

function faulty(): { bus: FaultyBus; cluster: Cluster } {
  const bus = new FaultyBus();
  return { bus, cluster: { ...memoryCluster(), bus } };
}

describe("server.notify in a cluster", () => {
  it.each(EVERY)("reaches the listeners of every node once (%s)", async (revision) => {
    const cluster = memoryCluster();
    const nodes = [defineNode(cluster), defineNode(cluster), defineNode(cluster)];
    const all = await Promise.all(nodes.map((node) => listen(node, ["a://1", "a://2", "a://2?x=1"], revision)));
    nodes[0]?.notify("a://1");
    for (const client of all) await heard(client, "a://1");
    nodes[1]?.notify({ prefix: "a://2" });
    for (const client of all) await heard(client, "a://2", "a://2?x=1");
    nodes[2]?.notify("a://2");
    for (const client of all) {
      await expect.poll(() => updates(client)).toHaveLength(5);
      expect(updates(client).sort()).toEqual(["a://1", "a://2", "a://2", "a://2?x=1", "a://2?x=1"]);
    }
  });

  it("notifies 1,000 listeners on 4 nodes of all changes of a turn with one message", async () => {
    const { bus, cluster } = faulty();
    const nodes = [1, 2, 3, 4].map(() => defineNode(cluster));
    const all = await Promise.all(nodes.map((node) => listen(node, ["a://1"])));
    for (const client of all) {
      for (let more = 1; more < 250; more++) await client.listen({ uris: ["a://1"] });
    }
    for (let time = 0; time < 100; time++) nodes[0]?.notify("a://1");
    nodes[0]?.notify({ prefix: "b://" });
    for (const client of all) await expect.poll(() => updates(client)).toHaveLength(250);
    expect(bus.published).toHaveLength(1);
    expect(nodes.map((node) => node.metrics().changes)).toEqual([
      { published: 1, failed: 0, heard: 0, gaps: 0 },
      ...[2, 3, 4].map(() => ({ published: 0, failed: 0, heard: 1, gaps: 0 })),
    ]);
  });

  it("sends no message for the changes that a watcher reports: each node watches on its own", async () => {
    const { bus, cluster } = faulty();
    let events: WatchEvents | undefined;
    const watched = defineResource({
      ...{ uri: "w://1", name: "watched", read: () => "" },
      watch: (given) => {
        events = given;
        return () => {};
      },
    });
    const first = await listen(defineNode(cluster, { resources: [watched] }), ["w://1"]);
    events?.updated("w://1");
    await heard(first, "w://1");
    expect(bus.published).toEqual([]);
  });

  it("notifies each watched URI after a gap, and loses none", async () => {
    const { bus, cluster } = faulty();
    const [sender, receiver] = [defineNode(cluster), defineNode(cluster)];
    const uris = Array.from({ length: 50 }, (_, id) => `a://${id}`);
    const client = await listen(receiver, uris);
    const own = await listen(sender, uris);
    bus.isCut = true;
    for (let time = 0; time < 1000; time++) {
      sender.notify(uris[time % 50] as string);
      if (time % 100 === 99) await new Promise((resolve) => setTimeout(resolve, 1));
    }
    await heard(own, ...uris);
    expect(updates(client)).toEqual([]);
    bus.mend();
    await heard(client, ...uris);
    expect(updates(client)).toHaveLength(50);
    expect(receiver.metrics().changes?.gaps).toBe(1);
  });

  it("keeps a change that could not be published, and logs the failure once", async () => {
    const { bus, cluster } = faulty();
    const log: string[] = [];
    const sender = defineNode(cluster, { log: ({ message }) => log.push(message) });
    const client = await listen(defineNode(cluster), ["a://1", "a://2"]);
    bus.isAway = true;
    sender.notify("a://1");
    await expect.poll(() => sender.metrics().changes?.failed).toBeGreaterThan(1);
    sender.notify("a://2");
    bus.isAway = false;
    await heard(client, "a://1", "a://2");
    expect(log.filter((message) => message.includes("could not be sent to the other nodes"))).toHaveLength(1);
  });

  it("says that anything may have changed if a message would be too long", async () => {
    const { bus, cluster } = faulty();
    const sender = defineNode(cluster);
    const client = await listen(defineNode(cluster), ["a://1", "a://2"]);
    for (let id = 0; id < 5000; id++) sender.notify(`b://${id}`);
    await heard(client, "a://1", "a://2");
    sender.notify("c".repeat(100_000));
    await expect.poll(() => updates(client)).toHaveLength(4);
    expect(Math.max(...bus.published.map(({ length }) => length))).toBeLessThan(100);
  });

  it("takes a message that it cannot read for a change of everything", async () => {
    const { bus, cluster } = faulty();
    const client = await listen(defineNode(cluster), ["a://1"]);
    const messages = ["", "x", "x {", "x null", "x []", 'x {"uris":[1],"prefixes":[]}', 'x {"uris":["a://2"]}'];
    for (const [index, message] of messages.entries()) {
      await bus.publish("nodes changes", message);
      await expect.poll(() => updates(client)).toHaveLength(index + 1);
    }
  });

  it("is sent by a process that does not serve, and before a node leaves", async () => {
    const { cluster } = faulty();
    const listener = await listen(defineNode(cluster), ["a://1", "a://2"]);
    const silent = defineNode(cluster);
    silent.notify("a://1");
    await heard(listener, "a://1");
    const leaving = await listen(silent, ["a://1"]);
    silent.notify("a://2");
    await leaving.close();
    await heard(listener, "a://2");
  });

  it("does not reach a node that has left, and reaches it again when it is served again", async () => {
    const { bus, cluster } = faulty();
    const [sender, receiver] = [defineNode(cluster), defineNode(cluster)];
    const first = await listen(receiver, ["a://1"]);
    sender.notify("a://1");
    await heard(first, "a://1");
    await first.close();
    sender.notify("a://1");
    await expect.poll(() => bus.published).toHaveLength(2);
    expect(receiver.metrics().changes?.heard).toBe(1);
    const second = await listen(receiver, ["a://1"]);
    sender.notify("a://1");
    await heard(second, "a://1");
    expect(receiver.metrics().changes?.heard).toBe(2);
  });

  it("reaches the clients of the version that `dev` presents, once", async () => {
    const { bus, cluster } = faulty();
    const [first, second, other] = [defineNode(cluster), defineNode(cluster), defineNode(cluster)];
    const same = <Item>(item: Item): Item => item;
    const substitutes = { tool: same, prompt: same, resource: same };
    const facade = createFacade(first, { substitutes, onStop: async () => {} });
    const held = runInBackground(first);
    facade.present(first, []);
    const client = await listen(facade.server, ["a://1"]);
    other.notify("a://1");
    await heard(client, "a://1");
    const next = runInBackground(second);
    facade.present(second, []);
    await held.stop();
    second.notify("a://1");
    await expect.poll(() => updates(client)).toHaveLength(2);
    other.notify("a://1");
    await expect.poll(() => updates(client)).toHaveLength(3);
    expect(bus.published).toHaveLength(3);
    await next.stop();
  });

  it("ignores a change that is neither a URI nor a prefix", async () => {
    const { bus, cluster } = faulty();
    const sender = defineNode(cluster);
    sender.notify({} as never);
    sender.notify("a://1");
    await expect.poll(() => bus.published).toHaveLength(1);
  });
});

describe("the option cluster", () => {
  const { store, bus, queue } = memoryCluster();

  it.each([
    [null, "cluster.store must have the method claim."],
    [{}, "cluster.store must have the method claim."],
    [{ store: { claim: () => true, count: () => 1 }, bus }, "cluster.store must have the method read."],
    [{ store }, "cluster.bus must have the method publish."],
    [{ store, bus: { publish() {}, subscribe: true } }, "cluster.bus must have the method subscribe."],
    [{ store, bus, queue: {} }, "cluster.queue must have the method push."],
    [{ store, bus, queue: { ...queue, push() {} } }, "cluster.queue must have the method work."],
  ])("is rejected without the methods of a port when the server is served (case %#)", async (cluster, message) => {
    await expect(connect(defineNode(cluster as never))).rejects.toThrow(`Server "nodes": ${message}`);
    await expect(serveHttp(defineNode(cluster as never), { port: 0 })).rejects.toThrow(UsageError);
  });

  it("needs no queue", async () => {
    await (await connect(defineNode({ store, bus }))).close();
  });
});
