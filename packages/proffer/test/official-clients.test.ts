import { Client as Client2 } from "@modelcontextprotocol/client";
import { StdioClientTransport as Stdio2 } from "@modelcontextprotocol/client/stdio";
import { Client as Client1 } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport as Stdio1 } from "@modelcontextprotocol/sdk/client/stdio.js";
import {
  ElicitRequestSchema,
  LoggingMessageNotificationSchema,
  ResourceUpdatedNotificationSchema,
  ToolListChangedNotificationSchema,
} from "@modelcontextprotocol/sdk/types.js";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { type Bundle, bundleFixture } from "./fixture-process.ts";

const INFO = { name: "tour", version: "1.0.0" };
const CAPABILITIES = { elicitation: { form: {} } };
/** Allows for a busy machine. */
const PATIENT = { timeout: 600_000 };

interface CallOptions {
  readonly signal?: AbortSignal;
  readonly onprogress?: (progress: { progress: number }) => void;
}

interface Called {
  readonly content: readonly { readonly type: string; readonly text?: string }[];
  readonly structuredContent?: unknown;
  readonly isError?: boolean;
}

/** The client interface that the tour uses, for every generation and era. */
interface Tourist {
  readonly heard: string[];
  readonly client: Pick<
    Client1,
    "listTools" | "listPrompts" | "listResources" | "listResourceTemplates" | "getPrompt" | "readResource" | "complete"
  >;
  call(name: string, args?: Record<string, unknown>, options?: CallOptions): Promise<Called>;
  /** Subscribes to the list of tools and to one resource; returns a function that unsubscribes. */
  listen(uri: string): Promise<() => Promise<unknown>>;
  close(): Promise<void>;
}

let bundle: Bundle;
const open: Tourist[] = [];

beforeAll(async () => {
  bundle = await bundleFixture("features.ts");
});
afterEach(async () => {
  for (const tourist of open.splice(0)) await tourist.close();
});
afterAll(() => bundle.remove());

async function visitWithVersion1(): Promise<Tourist> {
  const heard: string[] = [];
  const client = new Client1(INFO, { capabilities: CAPABILITIES });
  client.setRequestHandler(ElicitRequestSchema, () => ({ action: "accept", content: { name: "Ada" } }));
  client.setNotificationHandler(ToolListChangedNotificationSchema, () => void heard.push("tools"));
  client.setNotificationHandler(ResourceUpdatedNotificationSchema, ({ params }) => void heard.push(params.uri));
  client.setNotificationHandler(LoggingMessageNotificationSchema, ({ params }) => void heard.push(params.level));
  await client.connect(new Stdio1({ command: process.execPath, args: [bundle.path] }), PATIENT);
  return {
    heard,
    client,
    call: async (name, args = {}, options = {}) =>
      (await client.callTool({ name, arguments: args }, undefined, { ...PATIENT, ...options })) as Called,
    listen: async (uri) => {
      await client.subscribeResource({ uri });
      return () => client.unsubscribeResource({ uri });
    },
    close: () => client.close(),
  };
}

type Mode = "auto" | "legacy" | { pin: string };

async function visitWithVersion2(mode: Mode): Promise<Tourist> {
  const heard: string[] = [];
  const client = new Client2(INFO, { capabilities: CAPABILITIES, versionNegotiation: { mode } });
  client.setRequestHandler("elicitation/create", () => ({ action: "accept", content: { name: "Ada" } }));
  client.setNotificationHandler("notifications/tools/list_changed", () => void heard.push("tools"));
  client.setNotificationHandler("notifications/resources/updated", ({ params }) => void heard.push(params.uri));
  client.setNotificationHandler("notifications/message", ({ params }) => void heard.push(params.level));
  await client.connect(new Stdio2({ command: process.execPath, args: [bundle.path] }), PATIENT);
  const listen = async (uri: string) => {
    if (client.getProtocolEra() === "legacy") {
      await client.subscribeResource({ uri });
      return () => client.unsubscribeResource({ uri });
    }
    const subscription = await client.listen({ toolsListChanged: true, resourceSubscriptions: [uri] });
    return () => subscription.close();
  };
  return {
    heard,
    // Both generations have the same methods, but declare different types.
    client: client as never,
    call: async (name, args = {}, options = {}) =>
      (await client.callTool({ name, arguments: args }, { ...PATIENT, ...options })) as Called,
    listen,
    close: () => client.close(),
  };
}

const VISITS: [string, string, () => Promise<Tourist>][] = [
  ["@modelcontextprotocol/sdk 1.32.2", "2025-11-25", visitWithVersion1],
  ["@modelcontextprotocol/client 2.4.0, auto", "2026-07-28", () => visitWithVersion2("auto")],
  ["@modelcontextprotocol/client 2.4.0, legacy", "2025-11-25", () => visitWithVersion2("legacy")],
  ["@modelcontextprotocol/client 2.4.0, pinned", "2026-07-28", () => visitWithVersion2({ pin: "2026-07-28" })],
];

/** Reads all pages of a list; the older client returns one at a time. */
async function all<Key extends string, Item>(
  key: Key,
  list: (params?: { cursor: string }) => Promise<{ [name in Key]: Item[] } & { nextCursor?: string }>,
): Promise<Item[]> {
  let page = await list();
  const items = [...page[key]];
  while (page.nextCursor !== undefined) {
    page = await list({ cursor: page.nextCursor });
    items.push(...page[key]);
  }
  return items;
}

describe.each(VISITS)("the official client %s", (_name, revision, start) => {
  async function visit(): Promise<Tourist> {
    const tourist = await start();
    open.push(tourist);
    return tourist;
  }

  it(`speaks ${revision}`, async () => {
    const { call } = await visit();
    expect((await call("client")).structuredContent).toMatchObject({
      revision,
      info: INFO,
      capabilities: CAPABILITIES,
    });
  });

  it("lists all pages of every list", async () => {
    const { client } = await visit();
    const tools = await all("tools", (params) => client.listTools(params) as never);
    const prompts = await all("prompts", (params) => client.listPrompts(params) as never);
    const resources = await all("resources", (params) => client.listResources(params) as never);
    const templates = await all("resourceTemplates", (params) => client.listResourceTemplates(params) as never);
    expect([tools, prompts, resources, templates].map((list) => list.length)).toEqual([15, 6, 7, 6]);
  });

  it("calls tools with a text, a structured result that it validates, and a failure", async () => {
    const { call, client } = await visit();
    await all("tools", (params) => client.listTools(params) as never);
    expect((await call("echo", { text: "grüß dich" })).content).toEqual([{ type: "text", text: "grüß dich" }]);
    const birds = ["eagle", "emu", "magpie", "owl"];
    const structured = await call("annotated");
    expect(structured.structuredContent).toEqual(revision >= "2026-07-28" ? birds : { result: birds });
    const refused = await call("echo", { text: 1 });
    expect(refused.isError).toBe(true);
    expect(refused.content[0]?.text).toContain("/text: ");
    await expect(call("nothing")).rejects.toThrow(/Unknown tool "nothing"/);
  });

  it("gets prompts, reads resources and completes", async () => {
    const { client } = await visit();
    const prompt = await client.getPrompt({ name: "describe", arguments: { bird: "owl" } });
    expect(prompt.messages).toEqual([
      { role: "user", content: { type: "text", text: "Describe the owl in a neutral tone." } },
    ]);
    const read = async (uri: string) => (await client.readResource({ uri })).contents;
    expect(await read("features://motto")).toEqual([
      { uri: "features://motto", mimeType: "text/markdown", text: "# Write functions." },
    ]);
    expect(await read("features://bytes")).toMatchObject([{ blob: "AQID" }]);
    expect(await read("features://birds/owl")).toMatchObject([{ text: "The owl flies." }]);
    await expect(read("features://birds/dodo")).rejects.toThrow(/Resource not found: "features:\/\/birds\/dodo"/);
    const argument = { name: "bird", value: "e" };
    for (const ref of [
      { type: "ref/prompt" as const, name: "describe" },
      { type: "ref/resource" as const, uri: "features://birds/{bird}" },
    ]) {
      expect((await client.complete({ ref, argument })).completion.values).toEqual(["eagle", "emu"]);
    }
  });

  it("receives progress and logs", async () => {
    const { call, heard } = await visit();
    const progress: number[] = [];
    // These clients drop progress that they read together with the response, so the response must come later.
    const counted = call("count_and_wait", {}, { onprogress: (each) => progress.push(each.progress) });
    await expect.poll(() => progress).toEqual([1, 2, 3, 4, 5]);
    await call("count_and_wait", { release: true });
    await counted;
    await call("chatter");
    // This client does not request logs in the newest revision.
    if (revision < "2026-07-28") expect(heard).toContain("emergency");
  });

  it("cancels a call", async () => {
    const { call } = await visit();
    const counts = async () => JSON.parse((await call("seen")).content[0]?.text ?? "");
    const stop = new AbortController();
    const cancelled = call("wait", {}, { signal: stop.signal });
    expect(await counts()).toMatchObject({ waiting: 1, aborted: 0 });
    stop.abort("enough");
    await expect(cancelled).rejects.toThrow();
    expect(await counts()).toMatchObject({ waiting: 1, aborted: 1 });
  });

  it("receives changes while it is subscribed", async () => {
    const { call, heard, listen } = await visit();
    const uri = "features://motto";
    const stop = await listen(uri);
    await call("touch", { uri });
    await expect.poll(() => heard).toContain(uri);
    await call("add", { kind: "tool", name: "late" });
    await expect.poll(() => heard).toContain("tools");
    expect((await call("late")).content).toEqual([{ type: "text", text: "late" }]);
    await stop();
    heard.length = 0;
    await call("touch", { uri });
    await call("seen");
    expect(heard).toEqual([]);
  });

  it("answers a question of a tool", async () => {
    const { call } = await visit();
    expect((await call("greet")).content).toEqual([{ type: "text", text: "Hello, Ada!" }]);
  });
});
