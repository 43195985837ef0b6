import { expect, it } from "vitest";
import { definePrompt } from "../prompts/define.ts";
import { defineResource } from "../resources/define.ts";
import { defineServer } from "../server/server.ts";
import { connect } from "../testing/connect.ts";
import { defineTool } from "../tools/define.ts";
import { addFunctions } from "./add-functions.ts";
import type { Manifest } from "./manifest.ts";

const binding = (name: string) => ({ path: [name], parameters: [], result: { kind: "value" } }) as const;

/** The manifest of a module with a tool, a prompt and a resource. */
const MANIFEST: Manifest = {
  server: { name: "package", version: "0.1.0", instructions: "From the comment." },
  tools: [{ name: "say", inputSchema: { type: "object", properties: {} }, binding: binding("say") }],
  prompts: [{ name: "write", arguments: [], binding: binding("write") }],
  resources: [{ uri: "a://one", name: "one", variables: [], binding: binding("one") }],
  places: { say: "tools.ts:3", write: "lib/more.ts:5", one: "tools.ts:9" },
};
const moduleOf = (word: string) => ({ say: () => word, write: () => word, one: () => word });
const source = "/app/tools.ts";
const own = { name: "own", version: "2.0.0" };

async function callsOf(server: ReturnType<typeof defineServer>): Promise<unknown[]> {
  const client = await connect(server);
  const { content } = await client.call("say");
  return [content, await client.get("write"), await client.read("a://one")].map((result) => JSON.stringify(result));
}

it("adds the functions of a module to the very server, after its own items", async () => {
  const server = defineServer({ ...own, tools: [defineTool({ name: "first", handle: () => "first" })] });
  expect(addFunctions(server, moduleOf("hello"), MANIFEST, { source })).toBe(server);
  const client = await connect(server);
  expect((await client.listTools()).map(({ name }) => name)).toEqual(["first", "say"]);
  for (const result of await callsOf(server)) expect(result).toContain("hello");
  expect(server.info).toEqual(own);
});

it("adds functions once, and replaces them if the module was evaluated again", async () => {
  const server = defineServer(own);
  const first = moduleOf("one");
  addFunctions(server, first, MANIFEST, { source });
  const client = await connect(server, { revision: "2025-11-25" });
  addFunctions(server, first, MANIFEST, { source });
  addFunctions(server, moduleOf("two"), { ...MANIFEST, prompts: [] }, { source });
  expect([server.tools.size, server.prompts.size, server.resources.size]).toEqual([1, 0, 1]);
  expect((await client.call("say")).content).toEqual([{ type: "text", text: "two" }]);
});

it("adds the functions of two modules to one server", () => {
  const server = defineServer(own);
  const other = { ...MANIFEST, tools: [], resources: [], prompts: [{ ...MANIFEST.prompts[0], name: "more" }] };
  addFunctions(server, moduleOf("one"), MANIFEST, { source });
  addFunctions(server, moduleOf("two"), other as Manifest, { source: "/app/other.ts" });
  expect([...server.prompts].map(({ name }) => name)).toEqual(["write", "more"]);
});

it("notifies connected clients of added functions", async () => {
  const server = defineServer({ ...own, tools: [] });
  const client = await connect(server, { revision: "2025-11-25" });
  expect(await client.listTools()).toEqual([]);
  addFunctions(server, moduleOf("one"), MANIFEST, { source });
  await client.waitFor("notifications/tools/list_changed");
  expect(await client.listTools()).toHaveLength(1);
});

it("uses the module's comment as instructions only if the server has none", async () => {
  const instructions = async (options: { instructions?: string }) => {
    const server = defineServer({ ...own, ...options });
    const client = await connect(server);
    await client.request("server/discover");
    addFunctions(server, {}, { ...MANIFEST, tools: [], prompts: [], resources: [] }, { source });
    return (await client.request("server/discover")).instructions;
  };
  expect(await instructions({})).toBe("From the comment.");
  expect(await instructions({ instructions: "From the server." })).toBe("From the server.");
  expect(await instructions({ instructions: "" })).toBe("");
});

it("rejects every duplicate name and URI with both places, and adds nothing", () => {
  const server = defineServer({
    ...own,
    tools: [defineTool({ name: "say", handle: () => "mine" })],
    prompts: [definePrompt({ name: "write", get: () => "mine" })],
    resources: [
      defineResource({ uri: "a://one", name: "mine", content: "mine" }),
      defineResource({ uri: "b://{id}", name: "mine", read: () => "mine" }),
    ],
  });
  const variables = [{ name: "name", required: true, type: "string", schema: { type: "string" } }] as const;
  const template = { uri: "b://{name}", name: "two", variables, binding: binding("two") };
  const free = { ...MANIFEST.tools[0], name: "free" } as Manifest["tools"][number];
  const manifest: Manifest = {
    ...MANIFEST,
    tools: [free, ...MANIFEST.tools],
    resources: [...MANIFEST.resources, template],
  };
  const add = () => addFunctions(server, moduleOf("one"), manifest, { source });
  expect(add).toThrow(
    [
      'Duplicate tool "say": the function say (tools.ts:3) and `tools` of the server "own". Rename one of them.',
      'Duplicate prompt "write": the function write (lib/more.ts:5) and `prompts` of the server "own". Rename one of them.',
      'Duplicate resource "a://one": the function one (tools.ts:9) and `resources` of the server "own". Rename one of them.',
      'Template "b://{name}", position 0: "b://{id}" matches the same URIs. Remove one of the two. It comes from the function two.',
    ].join("\n"),
  );
  expect(add).toThrow(expect.objectContaining({ name: "UsageError", code: "duplicate" }));
  expect([server.tools.size, server.prompts.size, server.resources.size]).toEqual([1, 1, 2]);
});
