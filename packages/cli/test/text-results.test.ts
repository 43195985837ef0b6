import { connect } from "proffer/testing";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { load } from "../src/modules/load.ts";
import { createProject, type Project } from "./project.ts";

// A text has no output schema: it would say nothing, and some models would read the text in an object.

const TEXTS: Readonly<Record<string, string>> = {
  plain: "string",
  promise: "Promise<string>",
  alias: "Note",
  branded: "Branded",
  failure: 'string | ReturnType<typeof import("proffer").fail>',
  wide: "string | Color",
};

const DATA: Readonly<Record<string, string>> = {
  literals: "Color",
  whole: "bigint",
  day: "Date",
  nullable: "string | null",
  optional: "string | undefined",
  url: "URL",
  bytes: "{ at: Uint8Array }",
  pattern: "Uppercase<string>",
  price: "Price",
  list: "string[]",
};

const VALUES: Readonly<Record<string, string>> = {
  literals: '"red"',
  whole: "7n",
  day: "new Date(0)",
  url: 'new URL("https://a.example")',
  bytes: "{ at: new Uint8Array() }",
  pattern: '"V"',
  price: "new Price()",
  list: '["x"]',
};

const TAGGED: Readonly<Record<string, string>> = {
  schema: "@output schema",
  strict: "@output strict",
  closed: "@closed",
};

let project: Project;

beforeAll(() => {
  project = createProject();
  const write = ([name, type]: [string, string], tag = "") => [
    `/** A function. ${tag} */`,
    `export ${type.startsWith("Promise") ? "async " : ""}function ${name}(): ${type} { return ${VALUES[name] ?? '"hello" as never'}; }`,
  ];
  project.write(
    "tools.ts",
    "type Note = string;",
    'type Branded = string & { readonly brand: "note" };',
    'type Color = "red" | "blue";',
    'class Price { toJSON(): string { return "1"; } }',
    ...Object.entries(TEXTS).flatMap((each) => write(each)),
    ...Object.entries(DATA).flatMap((each) => write(each)),
    ...Object.entries(TAGGED).flatMap(([name, tag]) => write([name, "string"], tag)),
    "/** Described. @returns a note. @format date */",
    "export function formatted(): string { return '2026-01-01'; }",
  );
});

afterAll(() => project.remove());

describe.each(["2025-06-18", "2026-07-28"])("on %s, a result", (revision) => {
  it("is only text if its type is string, and has a schema otherwise", async () => {
    await using client = await connect(await load(project.path("tools.ts")), { revision });
    const listed = new Map((await client.listTools()).map((tool) => [tool.name, tool]));
    for (const name of Object.keys(TEXTS)) {
      expect(listed.get(name), name).not.toHaveProperty("outputSchema");
      const result = await client.call(name);
      expect(result.content).toEqual([{ type: "text", text: "hello" }]);
      expect(result).not.toHaveProperty("structuredContent");
    }
    for (const name of [...Object.keys(DATA), ...Object.keys(TAGGED), "formatted"]) {
      expect(listed.get(name), name).toHaveProperty("outputSchema");
      expect(await client.call(name), name).toHaveProperty("structuredContent");
    }
  });
});
