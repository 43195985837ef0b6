import type { Server } from "proffer";
import { connect } from "proffer/testing";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { TAGS } from "../src/derive/comments/check-tags.ts";
import type { Tag } from "../src/derive/comments/tag.ts";
import { createDeriver } from "../src/derive/index.ts";
import { load } from "../src/modules/load.ts";
import { buildModule } from "./build-module.ts";
import { createProject, type Project } from "./project.ts";

/** The parts of a server that tags can change, by the name in the example. */
type Facts = ReadonlyMap<string, unknown>;

const isJavaScript = ({ example }: Tag) => example.includes("@typedef");
const typed = TAGS.filter((tag) => !isJavaScript(tag)).map(({ example }) => example);
const plain = TAGS.filter(isJavaScript).map(({ example }) => example);

/** Returns the example without its tag and the tag's text. */
function withoutTag({ name, example }: Tag): string {
  return example.replace(new RegExp(`@${name}\\b[^@\\n]*?(?=@|\\*/|\\n)`), "");
}

function factsOf(server: Server): Facts {
  return new Map<string, unknown>([
    ["", { ...server.info, instructions: (server as { instructions?: string }).instructions }],
    ...[...server.tools].map(
      ({ name, description, timeout, requires, closed, maxResult, scopes, toolset, was, task }) =>
        [name, { description, timeout, requires, closed, maxResult, scopes, toolset, was, task }] as const,
    ),
    ...[...server.prompts].map(({ name, description }) => [name, { prompt: description }] as const),
    ...[...server.resources].map(({ name, description, tool }) => [name, { resource: description, tool }] as const),
  ]);
}

/** Returns the facts that the export of an example, or the whole server, has or would have without the tag. */
function relevant({ example, name }: Tag, facts: Facts): unknown {
  const exported = /export (?:const|function) (\w+)/.exec(example)?.[1] ?? "";
  const renamed = name === "name" ? /@name (\S+)/.exec(example)?.[1] : undefined;
  return [facts.get(exported), renamed && facts.get(renamed), name === "module" && facts.get("")];
}

describe("every tag", () => {
  let project: Project;
  let bare: Facts;
  const sources = new Map<string, Facts>();

  beforeAll(async () => {
    project = createProject();
    project.write("all.ts", 'export * from "./plain.js";', ...typed);
    project.write("plain.js", ...plain);
    project.write(
      "bare/all.ts",
      'export * from "./plain.js";',
      ...TAGS.filter((tag) => !isJavaScript(tag)).map(withoutTag),
    );
    project.write("bare/plain.js", ...TAGS.filter(isJavaScript).map(withoutTag));
    const file = project.path("all.ts");
    bare = factsOf(await load(project.path("bare/all.ts")));
    sources.set("the sources", factsOf(await load(file)));
    sources.set("the cache", factsOf(await load(file)));
    buildModule(file, project.path("dist"));
    sources.set("a build", factsOf(await load(project.path("dist"))));
  });

  afterAll(() => project.remove());

  // A server does not show its settings; settings.test.ts has their tags.
  it.each(TAGS.filter(({ on }) => !on.includes("setting")).map((tag) => [tag.name, tag] as const))(
    "@%s has the same effect from the sources, the cache and a build",
    (_, tag) => {
      for (const facts of sources.values()) {
        expect(relevant(tag, facts)).toEqual(relevant(tag, sources.get("the sources") ?? new Map()));
        expect(relevant(tag, facts)).not.toEqual(relevant(tag, bare));
      }
    },
  );

  it("has an example without diagnostics", () => {
    expect(createDeriver(project.path("all.ts")).derive().diagnostics).toEqual([]);
  });

  it("applies to results: @closed", async () => {
    project.write(
      "closed.ts",
      "interface User { id: number; friends: User[]; seen: Set<string>; meta: unknown }",
      'const ada = { id: 1, friends: [], seen: new Set(["a"]), meta: { any: 1 }, passwordHash: "secret" };',
      "const row = { ...ada, friends: [ada] };",
      "/** A user. @closed */",
      "export const user = (): User => row;",
      "/** An open user. */",
      "export const open = (): User => row;",
      "/** A user. @resource app://user @closed */",
      "export const resource = (): User => row;",
    );
    buildModule(project.path("closed.ts"), project.path("closed"));
    const friend = { id: 1, friends: [], seen: ["a"], meta: { any: 1 } };
    for (const file of ["closed.ts", "closed"]) {
      const client = await connect(await load(project.path(file)));
      const called = await client.call("user");
      expect(called.structuredContent).toEqual({ ...friend, friends: [friend] });
      expect(JSON.stringify([called, await client.read("app://user")])).not.toContain("secret");
      expect(JSON.stringify(await client.call("open"))).toContain("secret");
      const [closed, open] = await client.listTools();
      expect(closed?.outputSchema).toMatchObject({ additionalProperties: false });
      expect(open?.outputSchema).not.toHaveProperty("additionalProperties");
      await client.close();
    }
  });

  it("makes a resource a tool: @tool", async () => {
    project.write(
      "orders.ts",
      "/**",
      " * One order.",
      " * @resource orders://{id}{?limit}",
      " * @tool",
      " * @param id - the number. @pattern ^\\d+$",
      " * @param limit - how many items. @integer @maximum 5",
      " */",
      "export const order = (id: string, limit = 3) => ({ id, limit });",
      "/** The terms. @resource orders://terms */",
      'export const terms = () => "none";',
    );
    buildModule(project.path("orders.ts"), project.path("orders"));
    for (const file of ["orders.ts", "orders"]) {
      const client = await connect(await load(project.path(file)));
      expect(await client.listTools()).toMatchObject([
        {
          name: "order",
          description: "One order.\n\nReads the resource orders://{id}{?limit}.",
          annotations: { readOnlyHint: true },
          inputSchema: {
            properties: {
              id: { type: "string", pattern: "^\\d+$", description: expect.stringContaining("the number") },
              limit: { type: "integer", maximum: 5, default: 3 },
            },
            required: ["id"],
          },
        },
      ]);
      expect(await client.call("order", { id: "7" })).toMatchObject({
        content: [{ text: '{"id":"7","limit":3}' }, {}],
      });
      expect(await client.call("order", { id: "7", limit: 6 })).toMatchObject({ isError: true });
      expect(await client.call("order", { id: "x" })).toMatchObject({ isError: true });
      await client.close();
    }
  });

  it("applies to calls: @name, @timeout, @requires and @meta", async () => {
    project.write(
      "calls.ts",
      "/** Never ends. @name wait-long @timeout 20ms @meta example.com/tier 2 */",
      "export const wait = () => new Promise<string>(() => {});",
      "/** Asks. @requires elicitation */",
      'export const ask = () => "asked";',
    );
    const client = await connect(await load(project.path("calls.ts")), { capabilities: {} });
    expect(await client.listTools()).toMatchObject([{ name: "wait-long", _meta: { "example.com/tier": 2 } }, {}]);
    expect(await client.call("wait-long")).toMatchObject({ isError: true });
    await expect(client.call("ask")).rejects.toMatchObject({ data: { requiredCapabilities: { elicitation: {} } } });
    await client.close();
  });

  it("@as renames parameters and properties for clients, and not in the function", async () => {
    project.write(
      "names.ts",
      "/** Orders. @param n - how many. @as count @param day - when. @as due-date */",
      'export const order = (n: number, day?: Date) => n + " " + (day instanceof Date ? day.getUTCFullYear() : "never");',
      "interface Options { /** How many. @as max_results @minimum 1 */ limit: number; since?: Date; word?: string }",
      "/** Finds. @param options.since - the start. @as start_date */",
      "export const find = ({ limit, since, word }: Options) => [limit, since instanceof Date, word ?? null];",
    );
    const client = await connect(await load(project.path("names.ts")));
    const [order, find] = await client.listTools();
    expect(order?.inputSchema).toMatchObject({ properties: { count: {}, "due-date": {} }, required: ["count"] });
    expect(find).toHaveProperty("inputSchema.properties.max_results");
    expect(find).toHaveProperty("inputSchema.properties.start_date");
    expect(find).not.toHaveProperty("inputSchema.properties.since");
    const start = "2026-01-01T00:00:00Z";
    expect(await client.call("order", { count: 3, "due-date": start })).toMatchObject({
      content: [{ text: "3 2026" }],
    });
    const found = await client.call("find", { max_results: 5, start_date: start, word: "pen" });
    expect(found.content).toMatchObject([{ text: JSON.stringify([5, true, "pen"]) }]);
    expect(await client.call("find", { limit: 5 })).toMatchObject({ isError: true });
    await client.close();
  });
});
