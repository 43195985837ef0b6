import { connect } from "proffer/testing";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { load } from "../src/modules/load.ts";
import { createProject, type Project } from "./project.ts";

let project: Project;

beforeEach(() => {
  project = createProject();
});
afterEach(() => project.remove());

const FINE = "/** Fine. */ export const fine = (): number => 1;";

describe("decorators that throw", () => {
  it("fail the import with their message and place, after a check without a complaint", async () => {
    project.write(
      "tools.ts",
      "const loud = (_: unknown, { name }: { name: string | symbol }): void => { throw new Error('no ' + String(name)); };",
      "class Order { @loud id = 1; }",
      "/** Takes an order. */ export const take = (order: Order): number => order.id;",
    );
    expect(await project.proffer("check", "tools.ts")).toMatchObject({ status: 0 });
    const { status, stderr } = await project.proffer("call", "tools.ts", "take", "--input", '{"order":{"id":1}}');
    expect(status).toBe(1);
    expect(stderr).toContain("tools.ts failed to load:\nError: no id\n");
  });

  it("fail only the calls that make an instance", async () => {
    project.write(
      "tools.ts",
      "const later = (_: unknown, { addInitializer }: ClassMethodDecoratorContext): void =>",
      '  addInitializer(() => { throw new Error("no instance"); });',
      "class Service { @later run(): number { return 1; } }",
      "/** Uses it. */ export const use = (): number => new Service().run();",
      FINE,
    );
    const client = await connect(await load(project.path("tools.ts")));
    expect(await client.call("use")).toMatchObject({ isError: true });
    expect(await client.call("fine")).toMatchObject({ structuredContent: 1 });
    await client.close();
  });
});

it("names what a package whose types do not compile lacks, and serves the other functions", async () => {
  project.write("node_modules/broken-types/package.json", '{ "name": "broken-types", "version": "1.0.0" }');
  project.write("node_modules/broken-types/index.js", "export {};");
  project.write(
    "node_modules/broken-types/index.d.ts",
    'import { Missing } from "not-installed";',
    "export interface Row { id: number; other: Missing }",
    "export interface Wide extends Missing { id: number; at: Undeclared<string> }",
    'export const wrong: number = "text";',
    "export interface Half { id: ; }",
  );
  project.write(
    "tools.ts",
    'import type { Row, Wide } from "broken-types";',
    "/** A row. */ export const row = (row: Row): number => row.id;",
    "/** A wide one. */ export const wide = (row: Wide): number => row.id;",
    FINE,
  );
  const { status, stdout } = await project.proffer("check", "tools.ts", "--json");
  const { tools, diagnostics } = JSON.parse(stdout) as {
    tools: { name: string }[];
    diagnostics: { message: string }[];
  };
  expect(status).toBe(1);
  expect(tools.map(({ name }) => name)).toEqual(["fine"]);
  const messages = diagnostics.map(({ message }) => message);
  expect(messages).toContainEqual(
    expect.stringContaining('No types for "not-installed" were found; run: npm install not-installed'),
  );
  expect(messages).toContainEqual(expect.stringContaining("The types of broken-types need others"));
});

it("serves 500 functions of a module", async () => {
  const functions = Array.from(
    { length: 500 },
    (_, n) =>
      `/** Does ${n}. */ export const f${n} = (given: { id: number; at: Date }): { n: number } => ({ n: given.id + ${n} });`,
  );
  project.write("tools.ts", ...functions);
  expect((await project.proffer("check", "tools.ts")).status).toBe(0);
  const client = await connect(await load(project.path("tools.ts")));
  expect(await client.listTools()).toHaveLength(500);
  const given = { id: 1, at: "1970-01-01T00:00:00Z" };
  expect(await client.call("f499", { given })).toMatchObject({ structuredContent: { n: 500 } });
  await client.close();
});

it("sends a result of 100 MB, refuses one with too many values, and goes on", async () => {
  project.write(
    "tools.ts",
    '/** 100 MB. */ export const text = (): { text: string } => ({ text: "x".repeat(100_000_000) });',
    "const all = (): { id: number; name: string }[] =>",
    '  Array.from({ length: 2_000_000 }, (_, id) => ({ id, name: "somebody with a name of usual length" }));',
    "/** Many rows. */ export const rows = all;",
    "/** Rows of another type. */ export const wrong = (): { id: string }[] => all() as never;",
    FINE,
  );
  const client = await connect(await load(project.path("tools.ts")));
  const { structuredContent } = await client.call("text");
  expect((structuredContent as { text: string }).text).toHaveLength(100_000_000);
  for (const [name, problem] of [
    ["rows", "/: is too complex to validate"],
    ["wrong", "/0/id: must be string, not number, and 9 more"],
  ] as const) {
    const { isError, content } = await client.call(name);
    expect(isError).toBe(true);
    expect((content[0] as { text: string }).text.slice(0, 200)).toContain(problem);
    expect(JSON.stringify(content).length).toBeLessThan(300_000);
  }
  expect(await client.call("fine")).toMatchObject({ structuredContent: 1 });
  await client.close();
});
