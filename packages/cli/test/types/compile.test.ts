import { readFileSync, symlinkSync } from "node:fs";
import { basename } from "node:path";
import { fileURLToPath } from "node:url";
import { connect } from "proffer/client";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { load } from "../../src/index.ts";
import { writeInterface } from "../../src/types/interface.ts";
import { createProject } from "../project.ts";
import { checkTypes } from "./check-types.ts";
import { HOSTILE } from "./hostile.ts";
import { CALLS, ORDERS, SHOP } from "./shop.ts";
import { CASES, ZOO } from "./zoo.ts";

/** Typed calls of an interface that was written, right and wrong. */
const WRITTEN_CALLS = `
  import { connect } from "proffer/client";
  import type { Hub } from "./hub.d.ts";
  const hub = await connect<Hub>("https://hub.example/mcp", { typesOf: "1.2.0" });
  const { total, items } = await hub.tools.search({ query: "a", sort: "stars" });
  export const numbers: number[] = [total, ...items.map(({ stars = 0 }) => stars)];
  export const child: string | undefined = (await hub.tools.tree()).children?.[0]?.children?.[0]?.name;
  export const [block] = await hub.tools["issue.close"]({ number: 5 });
  await hub.tools.order("7", 5, "a", "b");
  await hub.resources["repo://{owner}/{name}{?ref}"]({ owner: "a", name: "b" });
  await hub.prompts.plan({ topic: "a" });
  // @ts-expect-error: the types are of 1.2.0
  await connect<Hub>("https://hub.example/mcp", { typesOf: "1.1.0" });
  // @ts-expect-error: there is no such tool
  hub.tools.find({ query: "a" });
  // @ts-expect-error: the query is missing
  hub.tools.search({ sort: "stars" });
  // @ts-expect-error: not an order
  hub.tools.search({ query: "a", sort: "size" });
  // @ts-expect-error: there is no page
  hub.tools.search({ query: "a", page: 2 });
  // @ts-expect-error: items have no forks
  items[0].forks;
  // @ts-expect-error: a name is missing
  hub.resources["repo://{owner}/{name}{?ref}"]({ owner: "a" });
  // @ts-expect-error: topics are texts
  hub.prompts.plan({ topic: 5 });
`;

const HUB = {
  tools: [
    {
      name: "search",
      description: "Finds repositories.",
      inputSchema: {
        type: "object",
        properties: { query: { type: "string", description: "Words." }, sort: { enum: ["stars", "date"] } },
        required: ["query"],
      },
      outputSchema: {
        type: "object",
        properties: {
          total: { type: "integer" },
          items: { type: "array", items: { type: "object", properties: { stars: { type: "number" } } } },
        },
        required: ["total", "items"],
      },
    },
    {
      name: "tree",
      inputSchema: { type: "object", properties: {} },
      outputSchema: {
        type: "object",
        properties: { name: { type: "string" }, children: { type: "array", items: { $ref: "#" } } },
        required: ["name"],
      },
    },
    { name: "issue.close", inputSchema: { properties: { number: { type: ["integer", "string"] } } } },
    {
      name: "order",
      inputSchema: {
        type: "object",
        properties: { class: { type: "string" }, limit: {}, more: { type: "array", items: { type: "string" } } },
        required: ["class"],
      },
      _meta: { "proffer/parameters": ["class", "limit", "...more"] },
    },
  ],
  prompts: [{ name: "plan", arguments: [{ name: "topic", required: true }, { name: "days" }] }],
  resources: [],
  resourceTemplates: [{ name: "repo", uriTemplate: "repo://{owner}/{name}{?ref}" }],
};

/** The examples that are files of a project. */
const GUIDES = ["typed-clients", "cli"].flatMap((page) => {
  const text = readFileSync(new URL(`../../../../docs/${page}.md`, import.meta.url), "utf8");
  const found = text.matchAll(/^```ts\n\/\/ (\w+\/\S+)\n([\s\S]*?)^```$/gm);
  return [...found].map(([, path = "", code = ""]) => [path, code] as const);
});

const project = createProject();
afterAll(() => project.remove());

describe("tsc", () => {
  let problems: string[] = [];
  const of = (file: string) => problems.filter((problem) => problem.startsWith(`${file}:`));

  // One program, because parsing the platform's types takes most of the time.
  beforeAll(async () => {
    project.write(
      "tsconfig.json",
      '{ "compilerOptions": { "types": ["node"], "target": "es2022", "module": "nodenext" } }',
    );
    const types = fileURLToPath(new URL("../../../../node_modules/@types", import.meta.url));
    symlinkSync(types, project.path("node_modules/@types"), "junction");
    project.write("zoo.ts", ZOO);
    project.write("orders.ts", ORDERS);
    project.write("time.ts", "export class Temporal { readonly at = 1; }");
    project.write("shop.ts", SHOP);
    project.write("calls.ts", CALLS);
    project.write("hub.d.ts", writeInterface({ name: "hub", version: "1.2.0" }, HUB));
    project.write("hub-calls.ts", WRITTEN_CALLS);
    project.write("hostile.d.ts", writeInterface({ name: "*/ promise", version: '1"\u2028' }, HOSTILE));
    project.write("hostile-use.ts", 'export type { PromiseServer } from "./hostile.d.ts";');
    const written = await project.proffer("types", "zoo.ts", "--out", "listed.d.ts", "--name", "Zoo");
    expect(written.stderr).toContain("Wrote listed.d.ts");
    project.write("example/files.d.ts", writeInterface({ name: "files", version: "1.0.0" }, HUB));
    for (const [path, code] of GUIDES) project.write(path, code);
    project.write("agree.ts", ...(await agreements()));
    const files = [
      ...GUIDES.map(([path]) => path),
      "calls.ts",
      "hub-calls.ts",
      "hub.d.ts",
      "hostile-use.ts",
      "hostile.d.ts",
      "listed.d.ts",
      "agree.ts",
    ];
    problems = checkTypes(...files.map((file) => project.path(file)));
  }, 480_000);

  test("accepts right calls of functions, and refuses wrong ones", () => {
    expect(of("calls.ts")).toEqual([]);
  });

  test("accepts right calls of an interface that was written, and refuses wrong ones", () => {
    expect([...of("hub-calls.ts"), ...of("hub.d.ts")]).toEqual([]);
  });

  test("accepts the examples of the guides", () => {
    expect(GUIDES.length).toBe(4);
    expect(problems.filter((problem) => GUIDES.some(([path]) => problem.startsWith(basename(path))))).toEqual([]);
  });

  test("reads what hostile servers are written as", () => {
    expect([...of("hostile-use.ts"), ...of("hostile.d.ts")]).toEqual([]);
    const text = project.read("hostile.d.ts");
    expect(text).not.toMatch(/[\u202a-\u202e\u2066-\u2069\u2028]/);
    expect(text.length).toBeLessThan(200_000);
  });

  test("finds that types of results are those of the listed schemas, and have the values", () => {
    expect([...of("agree.ts"), ...of("listed.d.ts")]).toEqual([]);
  });
});

/** For each case: the type by TypeScript is the type by the schema, and the value of a call has it. */
async function agreements(): Promise<string[]> {
  const client = await connect<unknown>(await load(project.path("zoo.ts")));
  const lines = [
    'import type { Api } from "proffer/client";',
    'import type { Zoo } from "./listed.d.ts";',
    'type Own = Api<typeof import("./zoo.ts")>["tools"];',
    'type Listed = Zoo["tools"];',
    "type Of<Call> = Call extends () => Promise<infer Value> ? Value : never;",
    "type Same<A, B> = unknown extends B ? true : [A, B] extends [B, A] ? true : { own: A; listed: B };",
  ];
  for (const name of Object.keys(CASES)) {
    const own = `Of<Own["${name}_"]>`;
    const value = await client.tools[`${name}_`]?.();
    lines.push(
      `export const ${name}: Same<${own}, Of<Listed["${name}_"]>> = true;`,
      `export const ${name}Value: ${own} = ${value === undefined ? "undefined" : JSON.stringify(value)};`,
    );
  }
  await client.close();
  return lines;
}
