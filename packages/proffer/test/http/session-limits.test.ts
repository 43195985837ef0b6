import { type Cluster, defineServer, defineTool } from "proffer";
import { type HttpService, type ServeOptions, serveHttp } from "proffer/http";
import { memoryCluster } from "proffer/testing";
import { afterEach, describe, expect, it, vi } from "vitest";
import { LEGACY, legacy, openSession, post } from "./http-client.ts";

let service: HttpService;

afterEach(async () => {
  vi.useRealTimers();
  await service.close(0);
});

async function serve(cluster?: Cluster, options: ServeOptions = {}): Promise<string> {
  const server = defineServer({
    ...{ name: "limited", version: "1", log: () => {}, keys: [new Uint8Array(32)], ...(cluster && { cluster }) },
    tools: [defineTool({ name: "who", handle: (_, { client }) => JSON.stringify(client.info) })],
  });
  service = await serveHttp(server, { port: 0, ...options });
  return service.url;
}

const initialize = (clientInfo: object, capabilities: object = {}) =>
  legacy("initialize", { protocolVersion: LEGACY, capabilities, clientInfo });

describe.each([
  ["in memory", () => undefined],
  ["in a cluster", memoryCluster],
])("the description of a client that a session keeps %s", (_, create) => {
  it.each([
    ["its name", { name: "x".repeat(9000), version: "1" }, {}],
    ["a member that no revision has", { name: "x", version: "1", more: ["y".repeat(9000)] }, {}],
    ["its capabilities", { name: "x", version: "1" }, { experimental: { x: { y: "z".repeat(9000) } } }],
  ])("is refused if %s is too long", async (_, clientInfo, capabilities) => {
    const url = await serve(create());
    expect(await post(url, initialize(clientInfo, capabilities))).toMatchObject({
      status: 400,
      headers: {},
      json: { error: { code: -32602, message: expect.stringContaining("more than 4096 characters") } },
    });
  });

  it("loses icons that make it too long, and keeps others", async () => {
    const url = await serve(create());
    const who = async (bytes: number) => {
      const icons = [{ src: `data:image/png;base64,${"A".repeat(bytes)}` }];
      const { headers } = await post(url, initialize({ name: "app", version: "1", icons }));
      const session = { "mcp-session-id": headers["mcp-session-id"] as string, "mcp-protocol-version": LEGACY };
      const { json } = await post(url, legacy("tools/call", { name: "who" }), session);
      return JSON.parse(json.result.content[0].text);
    };
    expect(await who(1000)).toMatchObject({ name: "app", icons: [{}] });
    expect(await who(100_000)).toEqual({ name: "app", version: "1" });
  });
});

describe("the sessions of a caller in a cluster", () => {
  const MINUTE = 60_000;

  async function serveLimited(): Promise<string> {
    vi.useFakeTimers({ toFake: ["Date", "performance"] });
    return serve(memoryCluster(), { sessions: { max: 2, idleTimeout: 30 * MINUTE } });
  }

  it("count for as long as they are used", async () => {
    const url = await serveLimited();
    const sessions = [await openSession(url), await openSession(url)];
    for (let visit = 0; visit < 4; visit++) {
      vi.advanceTimersByTime(25 * MINUTE);
      for (const session of sessions) expect((await post(url, legacy("ping"), session)).status).toBe(200);
      await expect(openSession(url)).rejects.toThrow("no session: 429");
    }
  });

  it("count no more when they were abandoned", async () => {
    const url = await serveLimited();
    for (const _ of [1, 2]) await openSession(url);
    await expect(openSession(url)).rejects.toThrow("no session: 429");
    vi.advanceTimersByTime(41 * MINUTE);
    for (const _ of [1, 2]) await openSession(url);
    await expect(openSession(url)).rejects.toThrow("no session: 429");
  });

  it("do not count if nothing is known of the caller", async () => {
    const { createFetchHandler } = await import("proffer/fetch");
    await serve();
    const server = defineServer({
      ...{ name: "fetched", version: "1", tools: [], log: () => {}, keys: [new Uint8Array(32)] },
      cluster: memoryCluster(),
    });
    const handler = createFetchHandler(server, { sessions: { max: 1 } });
    const headers = { "content-type": "application/json", accept: "application/json, text/event-stream" };
    const body = JSON.stringify(initialize({ name: "app", version: "1" }));
    for (const _ of [1, 2, 3]) {
      const response = await handler(new Request("http://localhost/mcp", { method: "POST", headers, body }));
      expect(response.status).toBe(200);
    }
    await handler.close(0);
  });
});
