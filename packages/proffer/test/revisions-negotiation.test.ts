import { describe, expect, it } from "vitest";
import { connectMemory } from "../src/transports/memory.ts";
import server from "./fixtures/features.ts";
import { describeMatrix } from "./matrix.ts";
import { EVERY, LEGACY, MODERN } from "./versions.ts";

type Json = Record<string, unknown>;

/** Sends messages over a new connection and returns the responses. */
async function exchange(...messages: object[]): Promise<Json[]> {
  const received: Json[] = [];
  const connection = connectMemory(server, (text) => received.push(JSON.parse(text)));
  for (const message of messages) connection.send(JSON.stringify({ jsonrpc: "2.0", ...message }));
  await new Promise((resolve) => setTimeout(resolve, 0));
  connection.close();
  return received;
}

function initialize(protocolVersion: unknown, more: object = {}) {
  const params = { protocolVersion, capabilities: {}, clientInfo: { name: "c", version: "1" }, ...more };
  return { id: 1, method: "initialize", params };
}

/** A client with something in its description that every session would keep. */
function describedBy(experimental: unknown): object {
  return { capabilities: { experimental: { more: experimental } } };
}

function modern(version: unknown, meta: object = {}) {
  return {
    _meta: {
      "io.modelcontextprotocol/protocolVersion": version,
      "io.modelcontextprotocol/clientCapabilities": {},
      ...meta,
    },
  };
}

describe("initialize", () => {
  it.each(LEGACY)("agrees on the requested %s", async (version) => {
    expect(await exchange(initialize(version))).toMatchObject([{ id: 1, result: { protocolVersion: version } }]);
  });

  it.each(["2026-07-28", "2030-01-01", "v999.0.0", "", "__proto__"])(
    "answers %j with the newest revision that has a handshake",
    async (version) => {
      expect(await exchange(initialize(version))).toMatchObject([{ id: 1, result: { protocolVersion: "2025-11-25" } }]);
    },
  );

  it.each([
    ["no protocolVersion", initialize(undefined)],
    ["a protocolVersion that is not a string", initialize(20251125)],
    ["capabilities that are not an object", initialize("2025-11-25", { capabilities: [] })],
    ["a clientInfo that is not an object", initialize("2025-11-25", { clientInfo: "me" })],
    ["a description of 70,000 characters", initialize("2025-11-25", describedBy("x".repeat(70_000)))],
    ["a description of 2,000 objects", initialize("2025-11-25", describedBy(Array.from({ length: 2000 }, () => ({}))))],
    ["no params", { id: 1, method: "initialize" }],
  ])("rejects %s, and accepts a valid request afterwards", async (_what, message) => {
    const [refused, agreed] = await exchange(message, { ...initialize("2025-06-18"), id: 2 });
    expect(refused).toMatchObject({ id: 1, error: { code: -32602 } });
    expect(agreed).toMatchObject({ id: 2, result: { protocolVersion: "2025-06-18" } });
  });

  it("accepts a description with icons", async () => {
    const icons = [{ src: `data:image/png;base64,${"A".repeat(30_000)}` }];
    const [agreed] = await exchange(initialize("2025-11-25", { clientInfo: { name: "c", version: "1", icons } }));
    expect(agreed).toHaveProperty("result");
  });

  it("is rejected the second time, and changes nothing", async () => {
    const call = { id: 3, method: "tools/call", params: { name: "client" } };
    const second = initialize("2024-11-05", { clientInfo: { name: "other", version: "2" } });
    const [, refused, called] = await exchange(initialize("2025-11-25"), { ...second, id: 2 }, call);
    expect(refused).toMatchObject({ id: 2, error: { code: -32600 } });
    expect(called).toMatchObject({
      result: { structuredContent: { revision: "2025-11-25", info: { name: "c", version: "1" } } },
    });
  });

  it("does not exist in a revision without a handshake", async () => {
    const message = { id: 1, method: "initialize", params: modern("2026-07-28") };
    expect(await exchange(message)).toMatchObject([{ id: 1, error: { code: -32601 } }]);
  });
});

describe("a request with its own protocol version", () => {
  it("is served without a handshake", async () => {
    const message = { id: 1, method: "tools/call", params: { name: "client", ...modern("2026-07-28") } };
    expect(await exchange(message)).toMatchObject([
      { result: { structuredContent: { revision: "2026-07-28", capabilities: {}, session: false } } },
    ]);
  });

  it("is served in its own revision, separate from the session of the same connection", async () => {
    const inSession = { id: 2, method: "tools/call", params: { name: "client" } };
    const byItself = { id: 3, method: "tools/call", params: { name: "client", ...modern("2026-07-28") } };
    const [, first, second] = await exchange(
      initialize("2025-06-18", { capabilities: { roots: {} } }),
      inSession,
      byItself,
    );
    expect(first).toMatchObject({
      result: { structuredContent: { revision: "2025-06-18", capabilities: { roots: {} }, session: true } },
    });
    expect(first).not.toHaveProperty("result.resultType");
    expect(second).toMatchObject({
      result: { resultType: "complete", structuredContent: { revision: "2026-07-28", session: false } },
    });
    expect(second).toHaveProperty("result.structuredContent.capabilities", {});
  });

  it.each(["v999.0.0", "2025-11-25", "", "__proto__"])(
    "is rejected in version %j, with the supported versions",
    async (version) => {
      const message = { id: 1, method: "tools/list", params: modern(version) };
      expect(await exchange(message)).toMatchObject([
        { id: 1, error: { code: -32022, data: { supported: ["2026-07-28"], requested: version } } },
      ]);
    },
  );

  it.each([
    ["a version that is not a string", modern(20260728)],
    ["a version that is null", modern(null)],
    ["no client capabilities", modern("2026-07-28", { "io.modelcontextprotocol/clientCapabilities": undefined })],
    ["client capabilities of null", modern("2026-07-28", { "io.modelcontextprotocol/clientCapabilities": null })],
    ["client capabilities in a list", modern("2026-07-28", { "io.modelcontextprotocol/clientCapabilities": [] })],
    ["an unknown log level", modern("2026-07-28", { "io.modelcontextprotocol/logLevel": "loud" })],
  ])("is rejected with %s", async (_what, params) => {
    expect(await exchange({ id: 1, method: "tools/list", params })).toMatchObject([{ id: 1, error: { code: -32602 } }]);
  });

  it("needs no client info", async () => {
    const message = { id: 1, method: "server/discover", params: modern("2026-07-28") };
    expect(await exchange(message)).toMatchObject([{ id: 1, result: { supportedVersions: ["2026-07-28"] } }]);
  });
});

describe("a request without initialize and without a version", () => {
  it("is served in 2025-03-26", async () => {
    const message = { id: 1, method: "tools/call", params: { name: "client" } };
    const [answer] = await exchange(message);
    expect(answer).not.toHaveProperty("result.structuredContent");
    const { result } = answer as { result: { content: [{ text: string }] } };
    expect(JSON.parse(result.content[0].text)).toEqual({ revision: "2025-03-26", capabilities: {}, session: false });
  });

  it("cannot use the methods of the newest revision", async () => {
    expect(await exchange({ id: 1, method: "server/discover", params: {} })).toMatchObject([
      { id: 1, error: { code: -32601 } },
    ]);
  });
});

/** Which revision has which method: protocol matrix, client to server. */
const METHODS: Record<string, readonly string[]> = {
  ping: LEGACY,
  "server/discover": MODERN,
  "tools/list": EVERY,
  "tools/call": EVERY,
  "prompts/list": EVERY,
  "prompts/get": EVERY,
  "resources/list": EVERY,
  "resources/templates/list": EVERY,
  "resources/read": EVERY,
  "resources/subscribe": LEGACY,
  "resources/unsubscribe": LEGACY,
  "subscriptions/listen": MODERN,
  "completion/complete": EVERY,
  "logging/setLevel": LEGACY,
  "tasks/list": [],
  "sampling/createMessage": [],
  "notifications/initialized": [],
};

describeMatrix({ server, module: "features.ts" }, EVERY, (leg) => {
  const { revision } = leg;

  it.each(Object.keys(METHODS))("%s exists only in the revisions that have it", async (method) => {
    // Sent without parameters: an existing method may reject them, a missing one is rejected first.
    const outcome = await leg.client.requestOnce(method).then(
      () => 0,
      (error) => error.code,
    );
    expect(outcome === -32601).toBe(!METHODS[method]?.includes(revision));
    expect([0, -32601, -32602]).toContain(outcome);
  });

  it("declares the capabilities of the registered items", async () => {
    const opened = JSON.parse(leg.client.transcript.messages("server")[0] ?? "").result;
    const lists = { listChanged: true };
    expect(opened.capabilities).toEqual({
      tools: lists,
      prompts: lists,
      resources: { subscribe: true, ...lists },
      logging: {},
      ...(revision === "2024-11-05" ? {} : { completions: {} }),
    });
    expect(opened.instructions).toBe("Try everything.");
  });

  it("describes the server with the properties of the revision", async () => {
    const opened = JSON.parse(leg.client.transcript.messages("server")[0] ?? "").result;
    const info = revision >= "2026-07-28" ? opened._meta["io.modelcontextprotocol/serverInfo"] : opened.serverInfo;
    const title = { title: "All the features" };
    const rest = {
      description: "For tests.",
      websiteUrl: "https://example.com",
      icons: [{ src: "https://example.com/icon.png", mimeType: "image/png", sizes: ["48x48"], theme: "dark" }],
    };
    expect(info).toEqual({
      name: "features",
      version: "1.2.3",
      ...(revision >= "2025-06-18" ? title : {}),
      ...(revision >= "2025-11-25" ? rest : {}),
    });
    expect(opened).not.toHaveProperty(revision >= "2026-07-28" ? "serverInfo" : "_meta");
  });

  it("keeps a session if the revision has sessions", async () => {
    const remember = async (value: string) => {
      const { content } = await leg.client.call("remember", { value });
      return content;
    };
    expect(await remember("one")).toEqual([{ type: "text", text: "undefined" }]);
    const text = revision >= "2026-07-28" ? "undefined" : "one";
    expect(await remember("two")).toEqual([{ type: "text", text }]);
  });

  it("sends caching hints on cacheable results if the revision has them", async () => {
    const hints = { ttlMs: 60_000, cacheScope: "public" };
    const cacheable = {
      // The client decides which resources are tools.
      "tools/list": [{}, { ...hints, cacheScope: "private" }],
      "prompts/list": [{}, hints],
      "resources/list": [{}, hints],
      "resources/templates/list": [{}, hints],
      "resources/read": [{ uri: "features://computed" }, hints],
    } as const;
    for (const [method, [params, expected]] of Object.entries(cacheable)) {
      const { ttlMs, cacheScope } = await leg.client.request(method, params);
      expect({ ttlMs, cacheScope }).toEqual(revision >= "2026-07-28" ? expected : {});
    }
    const own = await leg.client.request("resources/read", { uri: "features://motto" });
    expect(own.ttlMs).toBe(revision >= "2026-07-28" ? 5 : undefined);
    const called = await leg.client.request("tools/call", { name: "echo", arguments: { text: "x" } });
    expect(called).not.toHaveProperty("ttlMs");
  });
});
