import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import process from "node:process";
import { setTimeout } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { ResourceUpdatedNotificationSchema } from "@modelcontextprotocol/sdk/types.js";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

// The port and the original from npm get the same requests of an official client. README.md explains each difference.

const require = createRequire(import.meta.url);
const ORIGINAL = [require.resolve("@modelcontextprotocol/server-memory/dist/index.js")];
const PORT = [
  join(dirname(require.resolve("proffer/package.json")), "dist/bin.js"),
  "serve",
  fileURLToPath(new URL("./server.ts", import.meta.url)),
];
const URI = "memory://knowledge-graph";
/** Allows for a busy machine. */
const PATIENT = { timeout: 600_000 };

type Arguments = Record<string, unknown>;

/** A server in a process, with a file of its own. */
class Memory {
  readonly file: string;
  readonly client = new Client({ name: "test", version: "1.0.0" });
  readonly updates: string[] = [];

  constructor(folder: string, name: string) {
    this.file = join(folder, `${name}.jsonl`);
  }

  async start(args: readonly string[]): Promise<void> {
    const env = { ...(process.env as Record<string, string>), MEMORY_FILE_PATH: this.file };
    const transport = new StdioClientTransport({ command: process.execPath, args: [...args], env, stderr: "ignore" });
    this.client.setNotificationHandler(
      ResourceUpdatedNotificationSchema,
      ({ params }) => void this.updates.push(params.uri),
    );
    await this.client.connect(transport, PATIENT);
  }

  call(name: string, given?: Arguments) {
    return this.client.callTool({ name, ...(given === undefined ? {} : { arguments: given }) }, undefined, PATIENT);
  }

  /** Gives a notification that must not come the time to arrive. A busy machine may miss one, but never reports one. */
  async settle(): Promise<void> {
    await setTimeout(20);
    await this.client.ping(PATIENT);
  }

  async isRefused(name: string, given: Arguments): Promise<boolean> {
    return (await this.call(name, given)).isError === true;
  }
}

const folder = mkdtempSync(join(tmpdir(), "proffer-memory-"));
const original = new Memory(folder, "original");
const port = new Memory(folder, "port");

beforeAll(async () => {
  await Promise.all([original.start(ORIGINAL), port.start(PORT)]);
});

afterAll(async () => {
  await Promise.all([original.client.close(), port.client.close()]);
  rmSync(folder, { recursive: true, force: true });
});

const ada = { name: "Ada", entityType: "person", observations: ["wrote a program", "knew Babbage"] };
const engine = { name: "Analytical Engine", entityType: "machine", observations: [] };
const knows = { from: "Ada", to: "Analytical Engine", relationType: "describes" };
const back = { from: "Analytical Engine", to: "Ada", relationType: "is described by" };

/** Requests in the order in which they are sent. */
const CALLS: readonly [tool: string, given?: Arguments][] = [
  ["read_graph"],
  ["read_graph", {}],
  ["search_nodes", { query: "" }],
  ["create_entities", { entities: [ada, engine] }],
  ["create_entities", { entities: [] }],
  [
    "create_entities",
    {
      entities: [
        { ...ada, observations: [] },
        { name: "Größe", entityType: "", observations: ["ß"] },
      ],
    },
  ],
  [
    "create_entities",
    {
      entities: [
        { ...engine, name: "twice" },
        { ...engine, name: "twice" },
      ],
    },
  ],
  ["create_relations", { relations: [knows, back, { ...knows, to: "nobody" }] }],
  ["create_relations", { relations: [knows, { ...knows, relationType: "DESCRIBES" }] }],
  ["add_observations", { observations: [{ entityName: "Ada", contents: ["knew Babbage", "was born in 1815"] }] }],
  [
    "add_observations",
    {
      observations: [
        { entityName: "Ada", contents: ["lost"] },
        { entityName: "?", contents: [] },
      ],
    },
  ],
  ["read_graph"],
  ["search_nodes", { query: "ADA" }],
  ["search_nodes", { query: "1815" }],
  ["search_nodes", { query: "machine" }],
  ["search_nodes", { query: "no such thing" }],
  ["open_nodes", { names: ["Ada", "Ada", "nobody"] }],
  ["open_nodes", { names: [] }],
  ["delete_observations", { deletions: [{ entityName: "Ada", observations: ["knew Babbage", "unknown"] }] }],
  ["delete_observations", { deletions: [{ entityName: "nobody", observations: ["x"] }] }],
  ["delete_relations", { relations: [back, back] }],
  ["delete_entities", { entityNames: ["twice", "nobody"] }],
  ["read_graph"],
  ["delete_entities", { entityNames: ["Ada"] }],
  ["read_graph"],
];

/** Arguments that both refuse. */
const REFUSED: readonly [tool: string, given: Arguments][] = [
  ["create_entities", {}],
  ["create_entities", { entities: {} }],
  ["create_entities", { entities: null }],
  ["create_entities", { entities: [null] }],
  ["create_entities", { entities: ["Ada"] }],
  ["create_entities", { entities: [{ name: "Ada", entityType: "person" }] }],
  ["create_entities", { entities: [{ ...ada, name: 1 }] }],
  ["create_entities", { entities: [{ ...ada, observations: "one" }] }],
  ["create_entities", { entities: [{ ...ada, observations: [1] }] }],
  ["create_relations", { relations: [{ from: "Ada", to: "Ada" }] }],
  ["create_relations", { relations: [{ ...knows, from: null }] }],
  ["add_observations", { observations: [{ entityName: "Ada" }] }],
  ["add_observations", { observations: [{ contents: [] }] }],
  ["delete_entities", { entityNames: [1] }],
  ["delete_entities", { entityNames: "Ada" }],
  ["delete_observations", { deletions: [{ entityName: "Ada", contents: [] }] }],
  ["delete_relations", { relations: knows }],
  ["search_nodes", {}],
  ["search_nodes", { query: 1 }],
  ["search_nodes", { query: ["Ada"] }],
  ["open_nodes", { names: "Ada" }],
  ["open_nodes", { names: [null] }],
];

/** Each tool that changes the graph, and calls that do not: one that fails, and two that only read. */
const WATCHED: readonly [tool: string, given: Arguments, updates: string[]][] = [
  ["create_entities", { entities: [ada, engine] }, [URI]],
  ["create_relations", { relations: [knows] }, [URI]],
  ["add_observations", { observations: [{ entityName: "Ada", contents: ["liked music"] }] }, [URI]],
  ["add_observations", { observations: [{ entityName: "nobody", contents: [] }] }, []],
  ["search_nodes", { query: "Ada" }, []],
  ["delete_observations", { deletions: [{ entityName: "Ada", observations: ["liked music"] }] }, [URI]],
  ["delete_relations", { relations: [knows] }, [URI]],
  ["delete_entities", { entityNames: ["nobody"] }, [URI]],
  ["read_graph", {}, []],
];

describe("the port is like the original", () => {
  it("has the same name and version", () => {
    expect(port.client.getServerVersion()).toEqual(original.client.getServerVersion());
  });

  it("has the same tools, with the same titles, hints, arguments and results", async () => {
    const described = async ({ client }: Memory) => {
      const { tools } = await client.listTools(undefined, PATIENT);
      return tools.map(({ name, title, annotations, inputSchema, outputSchema }) => ({
        name,
        title,
        annotations,
        arguments: Object.keys(inputSchema.properties ?? {}),
        required: inputSchema.required ?? [],
        results: Object.keys(outputSchema?.properties ?? {}),
      }));
    };
    expect(await described(port)).toEqual(await described(original));
  });

  it("answers every request alike, and leaves the same file", async () => {
    for (const [tool, given] of CALLS) {
      const [theirs, ours] = [await original.call(tool, given), await port.call(tool, given)];
      expect(ours, `${tool} ${JSON.stringify(given)}`).toEqual(theirs);
    }
    expect(readFileSync(port.file, "utf8")).toBe(readFileSync(original.file, "utf8"));
    expect(readFileSync(port.file, "utf8")).not.toBe("");
  });

  it.each(REFUSED)("refuses %s with %j", async (tool, given) => {
    expect(await original.isRefused(tool, given)).toBe(true);
    expect(await port.isRefused(tool, given)).toBe(true);
  });

  it("has the same resource, with the same name, title and type", async () => {
    const described = async ({ client }: Memory) => {
      const { resources } = await client.listResources(undefined, PATIENT);
      return resources.map(({ description, _meta, ...rest }) => rest);
    };
    expect(await described(port)).toEqual(await described(original));
  });

  it("has the same content in the resource", async () => {
    const [theirs, ours] = [original, port].map(({ client }) => client.readResource({ uri: URI }, PATIENT));
    expect(await ours).toEqual(await theirs);
  });

  it("notifies subscribers of the resource after each change, until they unsubscribe", async () => {
    for (const memory of [original, port]) {
      await memory.client.subscribeResource({ uri: URI }, PATIENT);
      for (const [tool, given, expected] of WATCHED) {
        memory.updates.length = 0;
        await memory.call(tool, given);
        if (expected.length === 0) await memory.settle();
        await expect.poll(() => memory.updates, { message: tool }).toEqual(expected);
      }

      memory.updates.length = 0;
      await memory.client.unsubscribeResource({ uri: URI }, PATIENT);
      await memory.call("delete_entities", { entityNames: [] });
      await memory.settle();
      expect(memory.updates).toEqual([]);
    }
  });
});

describe("the differences:", () => {
  it("the port has its own descriptions", async () => {
    const descriptions = async ({ client }: Memory) => {
      const { tools } = await client.listTools(undefined, PATIENT);
      const { resources } = await client.listResources(undefined, PATIENT);
      return [...tools, ...resources].map(({ description }) => description);
    };
    const theirs = await descriptions(original);
    for (const ours of await descriptions(port)) {
      expect(ours).toMatch(/./);
      expect(theirs).not.toContain(ours);
    }
  });

  it("the port can send log messages", () => {
    expect(original.client.getServerCapabilities()).not.toHaveProperty("logging");
    expect(port.client.getServerCapabilities()).toEqual({ ...original.client.getServerCapabilities(), logging: {} });
  });

  it("the port refuses a subscription to an unknown resource", async () => {
    const subscribe = ({ client }: Memory) => client.subscribeResource({ uri: "memory://unknown" }, PATIENT);
    await expect(subscribe(original)).resolves.toEqual({});
    await expect(subscribe(port)).rejects.toMatchObject({ code: -32002 });
  });

  it.each<[string, Arguments]>([
    ["search_nodes", { query: "x", limit: 5 }],
    ["read_graph", { deep: true }],
    ["create_entities", { entities: [{ ...ada, age: 36 }] }],
  ])("the port refuses unknown properties: %s with %j", async (tool, given) => {
    expect(await original.isRefused(tool, given)).toBe(false);
    expect(await port.isRefused(tool, given)).toBe(true);
  });

  it("the port accepts an array that was sent as its JSON text", async () => {
    const given = { names: '["Ada"]' };
    expect(await original.isRefused("open_nodes", given)).toBe(true);
    expect(await port.isRefused("open_nodes", given)).toBe(false);
  });

  it("the port answers a call of an unknown tool with an error, not with a result", async () => {
    expect(await original.isRefused("forget", {})).toBe(true);
    await expect(port.call("forget", {})).rejects.toMatchObject({ code: -32602 });
  });

  it("the port does not lose changes that are made at the same time", async () => {
    const names = Array.from({ length: 20 }, (_, i) => `parallel ${i}`);
    await Promise.all(names.map((name) => port.call("create_entities", { entities: [{ ...engine, name }] })));
    const { structuredContent } = await port.call("search_nodes", { query: "parallel" });
    expect((structuredContent as { entities: { name: string }[] }).entities.map(({ name }) => name)).toEqual(names);
  });

  it("the port keeps the reason of a broken file for its log", async () => {
    for (const { file } of [original, port]) writeFileSync(file, "{broken");
    expect(await original.call("read_graph")).toMatchObject({
      isError: true,
      content: [{ text: expect.stringContaining("JSON") }],
    });
    expect(await port.call("read_graph")).toMatchObject({
      isError: true,
      content: [{ text: 'Tool "read_graph" failed.' }],
    });
  });
});
