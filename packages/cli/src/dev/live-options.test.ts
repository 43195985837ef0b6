import {
  type Cluster,
  definePrompt,
  defineResource,
  defineServer,
  defineTool,
  field,
  type Server,
  type ServerOptions,
  type Store,
} from "proffer";
import { defineObserver } from "proffer/observe";
import { defineSkill } from "proffer/skills";
import { connect, memoryCluster, type TestClient } from "proffer/testing";
import { expect, it } from "vitest";
import { createLiveServer } from "./live-server.ts";

/** Two values of an option, and a request whose result shows which of them is in force. */
interface Case<Value> {
  readonly before: Value;
  readonly after: Value;
  readonly see: (client: TestClient) => Promise<unknown>;
}

const discover = (client: TestClient) => client.request("server/discover");
const tool = (name: string) => defineTool({ name, handle: () => name });
const icon = (name: string) => ({ src: `https://icons.example/${name}.png` });
const key = (byte: number) => new Uint8Array(32).fill(byte);

/** The records of the callbacks of a version. */
const seen: string[] = [];
async function recorded(work: Promise<unknown>): Promise<readonly string[]> {
  seen.length = 0;
  await work.catch(() => undefined);
  return [...seen];
}
const storeOf = (name: string): Store => ({ claim: () => seen.push(`store ${name}`) > 0 });
function clusterOf(name: string): Cluster {
  const cluster = memoryCluster();
  return { ...cluster, store: Object.assign(cluster.store, storeOf(name)) };
}

/** The first page after the cursor of the first page; a server without the key rejects the cursor. */
async function opensWith(client: TestClient, opened: Uint8Array): Promise<string> {
  const { nextCursor } = await client.request("tools/list");
  const other = await connect(defineServer({ ...BASE, keys: [opened] }));
  const page = await other.request("tools/list", { cursor: nextCursor }).catch(() => ({ tools: "rejected" }));
  return JSON.stringify(page.tools);
}

const BASE = {
  name: "live",
  version: "1.0.0",
  pageSize: 2,
  tools: [
    tool("say"),
    defineTool({ name: "locked", scopes: ["keys"], handle: () => "" }),
    defineTool({
      name: "once",
      singleUse: true,
      handle: async (_, ctx) => (await ctx.ask("Really?", { sure: field.boolean() })).action,
    }),
    defineTool({
      name: "double",
      input: { type: "object", properties: { n: { type: "number" } }, required: ["n"] },
      handle: ({ n }: { n: number }) => 2 * n,
    }),
    defineTool({
      name: "user",
      output: { type: "object", properties: { id: { type: "number" } } },
      handle: () => ({ id: 1, passwordHash: "secret" }),
    }),
    defineTool({ name: "dotted.name", handle: () => "" }),
    defineTool({
      name: "fails",
      handle: () => {
        throw new Error("no database");
      },
    }),
  ],
  prompts: [definePrompt({ name: "write", get: () => "Write." })],
  resources: [
    defineResource({ uri: "a://fixed", name: "Fixed", content: "fixed" }),
    defineResource({ uri: "a://stream", name: "Stream", read: () => new Blob(["more than 3 bytes"]).stream() }),
  ],
} satisfies ServerOptions;

/** Hooks whose versions run side by side for a moment; the tests of `proffer dev` cover them. */
type Lifespan = "onStart" | "onStop";

/** A new option does not compile here until it has a case. */
const CASES: { readonly [Option in Exclude<keyof ServerOptions, Lifespan>]-?: Case<ServerOptions[Option]> } = {
  name: { before: "one", after: "two", see: discover },
  version: { before: "1.0.0", after: "2.0.0", see: discover },
  title: { before: "One", after: "Two", see: discover },
  description: { before: "The first.", after: undefined, see: discover },
  websiteUrl: { before: undefined, after: "https://two.example", see: discover },
  icons: { before: [icon("one")], after: [icon("two")], see: discover },
  instructions: { before: "Be brief.", after: "Be kind.", see: discover },
  tools: { before: [tool("one")], after: [tool("two"), tool("three")], see: (client) => client.listTools() },
  prompts: {
    before: [definePrompt({ name: "one", get: () => "1" })],
    after: undefined,
    see: (client) => client.listPrompts().catch(() => []),
  },
  resources: {
    before: [],
    after: [defineResource({ uri: "a://two", name: "Two", content: "two" })],
    see: (client) => client.read("a://two").catch(({ code }) => code),
  },
  servers: {
    before: undefined,
    after: { inner: defineServer({ name: "inner", version: "1.0.0", tools: [tool("two")] }) },
    see: (client) => client.listTools(),
  },
  shows: { before: undefined, after: ({ kind }) => kind !== "tool", see: (client) => client.listTools() },
  toolsets: {
    before: { some: ["say"] },
    after: { some: { tools: ["say"], default: false } },
    see: (client) => client.listTools(),
  },
  lists: {
    before: "all",
    after: "granted",
    see: (client) => client.listTools(),
  },
  resourceTools: { before: "never", after: "always", see: (client) => client.listTools() },
  skills: {
    before: [],
    after: defineSkill({ name: "greet", description: "Use it to greet.", text: "Say hello." }),
    see: (client) => client.request("skills/list").catch(({ code }) => code),
  },
  middleware: {
    before: undefined,
    after: (call, next) => (call.name === "say" ? { content: [{ type: "text", text: "from middleware" }] } : next()),
    see: (client) => client.call("say"),
  },
  observe: {
    before: defineObserver({ end: () => void seen.push("end one") }),
    after: defineObserver({ end: () => void seen.push("end two") }),
    see: (client) => recorded(client.call("say")),
  },
  coerce: { before: undefined, after: false, see: (client) => client.call("double", { n: "2" }) },
  maxResult: { before: undefined, after: { bytes: 1000 }, see: (client) => client.listTools() },
  closedResults: {
    before: undefined,
    after: true,
    see: async (client) => [await client.call("user"), (await client.listTools()).find(({ name }) => name === "user")],
  },
  adapt: {
    before: undefined,
    after: true,
    see: (client) => {
      const _meta = { "io.modelcontextprotocol/clientInfo": { name: "Zed", version: "1" } };
      return client.request("tools/call", { name: "dotted_name", _meta }).catch(({ code }) => code);
    },
  },
  errors: { before: "message", after: () => "not now", see: (client) => client.call("fails") },
  cache: {
    before: { ttlMs: 5, cacheScope: "public" },
    after: { ttlMs: 7 },
    see: async (client) =>
      [await client.request("resources/read", { uri: "a://fixed" }), await client.request("tools/list")].map(
        ({ ttlMs, cacheScope }) => ({ ttlMs, cacheScope }),
      ),
  },
  pageSize: {
    before: 1,
    after: 3,
    see: async (client) => ((await client.request("tools/list")).tools as unknown[]).length,
  },
  keys: {
    before: [key(1)],
    after: [key(2)],
    see: async (client) => [await opensWith(client, key(1)), await opensWith(client, key(2))],
  },
  store: {
    before: storeOf("one"),
    after: storeOf("two"),
    see: (client) => recorded(client.call("once")),
  },
  cluster: {
    before: clusterOf("three"),
    after: clusterOf("four"),
    see: (client) => recorded(client.call("once")),
  },
  limits: {
    before: undefined,
    after: { streamBytes: 3 },
    see: (client) => client.read("a://stream").catch(({ message }) => message),
  },
  log: {
    before: () => void seen.push("log one"),
    after: () => void seen.push("log two"),
    see: (client) => recorded(client.call("fails")),
  },
};

function version(option: string, value: unknown): Server {
  return defineServer({ ...BASE, [option]: value });
}

const principal = { id: "ada", scopes: [] };
const answers = () => ({ action: "accept", content: { sure: true } }) as const;

it.each(Object.entries(CASES))("an edit of the option %s reaches connected clients", async (option, testCase) => {
  const { before, after, see } = testCase;
  const seenOn = async (server: Server) => see(await connect(server, { answers, principal }));
  const live = createLiveServer(version(option, before));
  const client = await connect(live.server, { answers, principal });
  const first = await see(client);
  expect(first).toEqual(await seenOn(version(option, before)));
  const next = version(option, after);
  await live.start(next);
  live.follow(next);
  const second = await see(client);
  expect(second).toEqual(await seenOn(version(option, after)));
  expect(second).not.toEqual(first);
});

it("shows the new name, version and instructions to the next client that initializes", async () => {
  const live = createLiveServer(defineServer({ name: "one", version: "1.0.0", instructions: "Be brief." }));
  live.follow(defineServer({ name: "two", version: "2.0.0", instructions: "Be kind." }));
  const client = await connect(live.server, { revision: "2025-11-25" });
  expect(client.transcript.toString()).toContain('"serverInfo":{"name":"two","version":"2.0.0"}');
  expect(client.transcript.toString()).toContain('"instructions":"Be kind."');
});

it("declares every list from the start, because an edit can add one", async () => {
  const live = createLiveServer(defineServer({ name: "live", version: "1.0.0" }));
  const client = await connect(live.server, { revision: "2025-11-25" });
  expect(await client.listPrompts()).toEqual([]);
  live.follow(defineServer({ name: "live", version: "1.0.0", prompts: BASE.prompts }));
  await client.waitFor("notifications/prompts/list_changed");
  expect(await client.listPrompts()).toHaveLength(1);
});

it("keeps the claims and the process key of versions without a store and keys", async () => {
  const live = createLiveServer(version("store", undefined));
  const client = await connect(live.server, { answers });
  const rounds: { requestState?: unknown; inputRequests?: object }[] = [];
  await client.call("once", {}, { onRound: (result) => void rounds.push(result) });
  live.follow(version("store", undefined));
  const { requestState, inputRequests = {} } = rounds[0] ?? {};
  const inputResponses = Object.fromEntries(Object.keys(inputRequests).map((id) => [id, answers()]));
  // The state opens, so the key is the same; it was used before, so the claim is remembered.
  const again = client.request("tools/call", { name: "once", arguments: {}, requestState, inputResponses });
  await expect(again).rejects.toThrow(/already used/);
});
