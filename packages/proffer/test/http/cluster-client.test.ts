import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { ElicitRequestSchema, ResourceUpdatedNotificationSchema } from "@modelcontextprotocol/sdk/types.js";
import { memoryCluster } from "proffer/testing";
import { afterEach, describe, expect, it } from "vitest";
import { Balancer } from "./balancer.ts";
import { faultyCluster } from "./faulty-cluster.ts";
import { legacy, post } from "./http-client.ts";
import { type Nodes, openNodes } from "./nodes.ts";

let nodes: Nodes;
let balancer: Balancer;

afterEach(async () => {
  await balancer.close();
  await nodes.close();
});

const RECONNECT = {
  initialReconnectionDelay: 10,
  maxReconnectionDelay: 100,
  reconnectionDelayGrowFactor: 1,
  maxRetries: 100,
};

async function connect(): Promise<{ client: Client; transport: StreamableHTTPClientTransport; heard: string[] }> {
  const client = new Client({ name: "spread", version: "1" }, { capabilities: { elicitation: {} } });
  client.setRequestHandler(ElicitRequestSchema, () => ({ action: "accept" as const, content: { name: "Ada" } }));
  const heard: string[] = [];
  client.setNotificationHandler(ResourceUpdatedNotificationSchema, ({ params }) => void heard.push(params.uri));
  const transport = new StreamableHTTPClientTransport(new URL(balancer.url), { reconnectionOptions: RECONNECT });
  await client.connect(transport as never);
  return { client, transport, heard };
}

describe("the official client over a balancer without sticky routing", () => {
  it("spreads one session over four nodes, loses one, and misses nothing", async () => {
    const shared = memoryCluster();
    const clusters = Array.from({ length: 4 }, () => faultyCluster(shared));
    nodes = await openNodes(4, clusters);
    balancer = await Balancer.open(nodes.urls);
    const [a, b, c, d] = [0, 1, 2, 3];
    let listener = b;
    // initialize at A, GET at B, the call at C, and its question is answered at D.
    const turns = [a, d, c, d];
    balancer.route = ({ method }) => (method === "GET" ? listener : (turns.shift() ?? a));
    const { client, transport, heard } = await connect();
    await expect.poll(() => balancer.routed).toContainEqual({ method: "GET", node: b });
    const asked = await client.callTool({ name: "ask", arguments: {} });
    expect(asked.content).toEqual([{ type: "text", text: "Hello, Ada!" }]);
    expect(balancer.routed.filter(({ method }) => method === "POST").map(({ node }) => node)).toEqual([a, d, c, d]);

    const item = (id: number) => `shop://items/${id}`;
    const items = () => heard.filter((uri) => uri !== item(0));
    for (let id = 1; id <= 6; id++) await client.subscribeResource({ uri: item(id) });
    await client.subscribeResource({ uri: item(0) });
    await expect
      .poll(() => {
        nodes.servers[b]?.notify(item(0));
        return heard;
      })
      .toContain(item(0));
    for (const id of [1, 2]) nodes.servers[b]?.notify(item(id));
    await expect.poll(items).toEqual([1, 2].map(item));

    // The client loses B; B still writes to the log, and is killed.
    balancer.cut(b);
    const log = `spread session ${transport.sessionId} g1`;
    const written = async () => (await shared.store.since(log, 0))?.length ?? 0;
    const before = await written();
    for (const id of [3, 4]) nodes.servers[b]?.notify(item(id));
    await expect.poll(written).toBe(before + 2);
    Object.assign(clusters[b] as object, { isAway: true, isDeaf: true });
    await nodes.services[b]?.close(0);
    expect(items()).toEqual([1, 2].map(item));

    listener = a;
    await expect.poll(items).toEqual([1, 2, 3, 4].map(item));
    for (const id of [5, 6]) nodes.servers[a]?.notify(item(id));
    await expect.poll(items).toEqual([1, 2, 3, 4, 5, 6].map(item));

    const session = { "mcp-session-id": transport.sessionId, "mcp-protocol-version": "2025-11-25" };
    await transport.terminateSession();
    for (const node of [a, c, d]) {
      expect((await post(nodes.urls[node] as string, legacy("ping"), session)).status).toBe(404);
    }
    await client.close();
  });

  it("finds every call in its session by turns, and progress in order", async () => {
    nodes = await openNodes(4, memoryCluster());
    nodes.release();
    balancer = await Balancer.open(nodes.urls);
    const { client } = await connect();
    for (let count = 1; count <= 8; count++) {
      expect(await client.callTool({ name: "count", arguments: {} })).toMatchObject({
        content: [{ text: `${count}` }],
      });
    }
    const steps: number[] = [];
    const onprogress = ({ progress }: { progress: number }) => void steps.push(progress);
    await client.callTool({ name: "tell", arguments: { steps: 50 } }, undefined, { onprogress });
    expect(steps).toEqual(Array.from({ length: 50 }, (_, step) => step + 1));
    expect(new Set(balancer.routed.map(({ node }) => node)).size).toBe(4);
    await client.close();
  });

  it("resumes a call at another node when its connection breaks", async () => {
    nodes = await openNodes(4, memoryCluster());
    balancer = await Balancer.open(nodes.urls);
    const { client } = await connect();
    let first = true;
    balancer.route = ({ method }) => {
      if (method === "GET") return 3;
      const node = first ? 2 : undefined;
      first = false;
      return node;
    };
    const steps: number[] = [];
    const onprogress = ({ progress }: { progress: number }) => void steps.push(progress);
    const told = client.callTool({ name: "tell", arguments: { steps: 5 } }, undefined, { onprogress });
    await expect.poll(() => steps).toEqual([1, 2, 3, 4]);
    const before = balancer.routed.length;
    balancer.cut(2);
    await expect.poll(() => balancer.routed.length).toBeGreaterThan(before);
    nodes.release();
    expect(await told).toMatchObject({ content: [{ text: "told" }] });
    expect(steps).toEqual([1, 2, 3, 4, 5]);
    await client.close();
  });
});
