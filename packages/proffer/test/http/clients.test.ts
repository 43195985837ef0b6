import { Client as NewClient, StreamableHTTPClientTransport as NewTransport } from "@modelcontextprotocol/client";
import { Client as OldClient } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport as OldTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import {
  ElicitRequestSchema,
  ResourceUpdatedNotificationSchema,
  ToolListChangedNotificationSchema,
} from "@modelcontextprotocol/sdk/types.js";
import { definePrompt, defineResource } from "proffer";
import { type HttpService, serveHttp } from "proffer/http";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { openWorkshop, type Workshop } from "./workshop.ts";

let workshop: Workshop;
let service: HttpService;
let endpoint: URL;

beforeEach(async () => {
  workshop = openWorkshop();
  workshop.server.prompts.add(
    definePrompt({
      name: "greet",
      arguments: { name: { required: true, complete: ["Ada", "Alan", "Grace"] } },
      get: ({ name }) => `Greet ${name}.`,
    }),
  );
  workshop.server.resources.add(
    defineResource({
      uri: "shop://items/{id}",
      name: "Item",
      complete: { id: ["1", "2"] },
      read: ({ id }) => `item ${id}`,
    }),
  );
  service = await serveHttp(workshop.server, { port: 0 });
  endpoint = new URL(service.url);
});

afterEach(async () => {
  workshop.release();
  await service.close();
});

const accept = () => ({ action: "accept" as const, content: { name: "Ada" } });
const INFO = { name: "tour", version: "1" };
const CAPABILITIES = { capabilities: { elicitation: {} } };

/** The client interface that the tour uses, for both generations of official clients. */
interface Tourist {
  listTools(): Promise<{ tools: { name: string }[] }>;
  listPrompts(): Promise<{ prompts: { name: string }[] }>;
  listResources(): Promise<{ resources: { uri: string }[] }>;
  listResourceTemplates(): Promise<{ resourceTemplates: { uriTemplate: string }[] }>;
  getPrompt(params: { name: string; arguments: Record<string, string> }): Promise<{ messages: unknown[] }>;
  readResource(params: { uri: string }): Promise<{ contents: unknown[] }>;
  complete(params: never): Promise<{ completion: { values: string[] } }>;
}

/** The requests that are answered with one message. */
async function tour(client: Tourist): Promise<void> {
  expect((await client.listTools()).tools.map(({ name }) => name)).toContain("echo");
  expect((await client.listPrompts()).prompts.map(({ name }) => name)).toEqual(["greet"]);
  expect((await client.listResources()).resources.map(({ uri }) => uri)).toContain("shop://live");
  const { resourceTemplates } = await client.listResourceTemplates();
  expect(resourceTemplates.map(({ uriTemplate }) => uriTemplate)).toEqual(["shop://items/{id}"]);
  const { messages } = await client.getPrompt({ name: "greet", arguments: { name: "Ada" } });
  expect(messages).toMatchObject([{ role: "user", content: { text: "Greet Ada." } }]);
  expect((await client.readResource({ uri: "shop://fixed" })).contents).toMatchObject([{ text: "x".repeat(20_000) }]);
  expect((await client.readResource({ uri: "shop://items/7" })).contents).toMatchObject([{ text: "item 7" }]);
  await expect(client.readResource({ uri: "shop://nowhere" })).rejects.toThrow(/not found/i);
  const ref = { type: "ref/prompt", name: "greet" };
  const { completion } = await client.complete({ ref, argument: { name: "name", value: "A" } } as never);
  expect(completion.values).toEqual(["Ada", "Alan"]);
}

describe("the official client of the first generation", () => {
  it("completes the tour", async () => {
    const client = new OldClient(INFO, CAPABILITIES);
    client.setRequestHandler(ElicitRequestSchema, accept);
    const heard: string[] = [];
    client.setNotificationHandler(ToolListChangedNotificationSchema, () => void heard.push("tools"));
    client.setNotificationHandler(ResourceUpdatedNotificationSchema, ({ params }) => void heard.push(params.uri));
    await client.connect(new OldTransport(endpoint) as never);
    await tour(client as never);
    const echoed = await client.callTool({ name: "echo", arguments: { message: "hi" } });
    expect(echoed.content).toEqual([{ type: "text", text: "hi" }]);
    expect(await client.callTool({ name: "ask", arguments: {} })).toMatchObject({ content: [{ text: "Hello, Ada!" }] });

    const abort = new AbortController();
    const waiting = client.callTool({ name: "wait", arguments: {} }, undefined, { signal: abort.signal });
    await expect.poll(() => workshop.begun.get("wait")).toBe(1);
    abort.abort("enough");
    await expect(waiting).rejects.toThrow("enough");
    await workshop.stopped;

    const steps: number[] = [];
    const told = client.callTool({ name: "tell", arguments: {} }, undefined, {
      onprogress: ({ progress }) => {
        steps.push(progress);
        workshop.release();
      },
    });
    expect(await told).toMatchObject({ content: [{ text: "told" }] });
    expect(steps).toEqual([1, 2]);

    await client.subscribeResource({ uri: "shop://live" });
    workshop.server.notify("shop://live");
    workshop.server.tools.remove("broken");
    await expect.poll(() => [...heard].sort()).toEqual(["shop://live", "tools"]);
    await client.close();
  });
});

describe.each([
  ["2025-11-25", "legacy" as const],
  ["2026-07-28", { pin: "2026-07-28" }],
])("the official client of the second generation, on %s", (revision, mode) => {
  it("completes the tour", async () => {
    const client = new NewClient(INFO, { ...CAPABILITIES, versionNegotiation: { mode } });
    client.setRequestHandler("elicitation/create", accept as never);
    const heard: string[] = [];
    client.setNotificationHandler("notifications/tools/list_changed", () => void heard.push("tools"));
    client.setNotificationHandler("notifications/resources/updated", ({ params }) => void heard.push(params.uri));
    await client.connect(new NewTransport(endpoint));
    expect(client.getNegotiatedProtocolVersion()).toBe(revision);
    await tour(client as never);
    const echoed = await client.callTool({ name: "echo", arguments: { message: "hi" } });
    expect(echoed.content).toEqual([{ type: "text", text: "hi" }]);
    expect(await client.callTool({ name: "ask", arguments: {} })).toMatchObject({ content: [{ text: "Hello, Ada!" }] });

    const abort = new AbortController();
    const waiting = client.callTool({ name: "wait", arguments: {} }, { signal: abort.signal });
    await expect.poll(() => workshop.begun.get("wait")).toBe(1);
    abort.abort("enough");
    await expect(waiting).rejects.toThrow("enough");
    await workshop.stopped;

    const steps: number[] = [];
    const told = client.callTool(
      { name: "tell", arguments: {} },
      {
        onprogress: ({ progress }) => {
          steps.push(progress);
          workshop.release();
        },
      },
    );
    expect(await told).toMatchObject({ content: [{ text: "told" }] });
    expect(steps).toEqual([1, 2]);

    if (revision === "2025-11-25") await client.subscribeResource({ uri: "shop://live" });
    else await client.listen({ toolsListChanged: true, resourceSubscriptions: ["shop://live"] });
    workshop.server.notify("shop://live");
    workshop.server.tools.remove("broken");
    await expect.poll(() => [...heard].sort()).toEqual(["shop://live", "tools"]);
    await client.close();
  });
});
