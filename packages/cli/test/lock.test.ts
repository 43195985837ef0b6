import { mkdirSync, rmSync } from "node:fs";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createProject, type Project } from "./project.ts";

let project: Project;

beforeAll(() => {
  project = createProject();
});

afterAll(() => project.remove());

const ORDER = [
  "/** An order. @resource orders://{id} @param id - which. @pattern ^\\d+$ */",
  "export const order = (id: string) => id;",
];

describe("proffer lock", () => {
  it("writes names, schemas and descriptions, and names what a change breaks with its place", () => {
    project.write(
      "shop.ts",
      "/** Finds orders. @param text - the words */",
      "export const find = (text: string, limit?: number): { id: string }[] => [{ id: text + limit }];",
      "/** Pays an order. */",
      "export const pay = (id: string) => id;",
      "/** Reviews. @prompt */",
      "export const review = (code: string) => code;",
      ...ORDER,
    );
    const written = project.proffer("lock", "shop.ts");
    expect(written).toMatchObject({ status: 0, stdout: "" });
    expect(written.stderr).toBe("Wrote proffer.lock.json: 2 tools, 1 prompt, 1 resource template.\n");
    const lock = JSON.parse(project.read("proffer.lock.json"));
    expect(lock).toMatchObject({
      lockVersion: 1,
      module: "shop.ts",
      tools: { find: { description: "Finds orders.", inputSchema: { required: ["text"] }, outputSchema: {} }, pay: {} },
      prompts: { review: { arguments: { code: { required: true } } } },
      resourceTemplates: { "orders://{id}": { arguments: { id: { schema: { pattern: "^\\d+$" } } } } },
    });

    project.write(
      "shop.ts",
      ...ORDER,
      "/** Reviews code. @prompt */",
      "export const review = (code: string) => code;",
      "/** Finds orders. @param text - the words */",
      "export const find = (text: string, limit: number): { id: string | null }[] => [{ id: text + limit }];",
    );
    const checked = project.proffer("lock", "shop.ts", "--check");
    expect(checked.status).toBe(1);
    expect(checked.stderr).toContain("3 changes break callers");
    const line = project.read("proffer.lock.json").split("\n").indexOf('    "pay": {') + 1;
    expect(checked.stdout.split("\n")).toEqual([
      `proffer.lock.json:${line} break pay: The tool is gone.`,
      expect.stringContaining("  Keep it"),
      "shop.ts:6 break find: Parameter limit became required. optional → required",
      expect.stringContaining("  Make it optional"),
      "shop.ts:6 break find: Property [].id may have other values. string → null|string",
      expect.stringContaining("  Return only"),
      "shop.ts:4 changed review: The description changed. Reviews. → Reviews code.",
      "",
    ]);
    // Writing accepts the changes, and shows them once more.
    expect(JSON.parse(project.proffer("lock", "shop.ts", "--json").stdout)).toMatchObject({
      file: "proffer.lock.json",
      changes: [{ level: "break", key: "pay" }, { file: "shop.ts", line: 6 }, {}, { level: "changed" }],
    });
    expect(project.proffer("lock", "shop.ts", "--check")).toMatchObject({ status: 0, stdout: "" });
  });

  it("does not fail for new items, unless it is strict, and ignores the order of the code", () => {
    project.write("new.ts", "/** A. */ export const a = () => 1;", "/** B. */ export const b = (x: 1, y: 2) => x + y;");
    project.proffer("lock", "new.ts", "--file", "new.lock.json");
    const before = project.read("new.lock.json");
    project.write("new.ts", "/** B. */ export const b = (x: 1, y: 2) => x + y;", "/** A. */ export const a = () => 1;");
    project.proffer("lock", "new.ts", "--file", "new.lock.json");
    expect(project.read("new.lock.json")).toBe(before);
    project.write(
      "new.ts",
      "/** A. */ export const a = () => 1;",
      "/** B. */ export const b = (x: 1, y: 2, z?: 3) => x + y;",
      "/** C. */ export const c = () => 1;",
    );
    const checked = project.proffer("lock", "new.ts", "--check", "--file", "new.lock.json");
    expect(checked).toMatchObject({
      status: 0,
      stdout: "new.ts:3 new c: The tool is new.\nnew.ts:2 new b: Parameter z is new.\n",
    });
    expect(checked.stderr).toContain("No change breaks callers. To record them, run proffer lock new.ts.");
    expect(project.proffer("lock", "new.ts", "--check", "--strict", "--file", "new.lock.json").status).toBe(1);
  });

  it("locks a server with definitions, with the places of its items", () => {
    const server = (input: string) => [
      'import { defineServer, defineTool } from "proffer";',
      "const add = defineTool({",
      '  name: "add",',
      `  input: ${input},`,
      "  handle: () => 1,",
      "});",
      'export default defineServer({ name: "x", version: "1.0.0", tools: [add], shows: () => false });',
    ];
    project.write("server.ts", ...server('{ type: "object", properties: { a: { type: "number" } } }'));
    expect(project.proffer("lock", "server.ts", "--file", "server.lock.json").stderr).toContain("1 tool.");
    project.write("server.ts", ...server('{ type: "object", properties: { a: { type: "integer" } } }'));
    const { stdout } = project.proffer("lock", "server.ts", "--check", "--file", "server.lock.json");
    expect(stdout).toContain("server.ts:3 break add: Parameter a accepts less. number → integer");
  });

  it("locks and compares 500 tools with recursive and large types", () => {
    const types = [
      "interface Node { name: string; children: Node[]; next?: Node | null }",
      `interface Wide { ${Array.from({ length: 200 }, (_, n) => `p${n}?: ${n % 2 ? "Node" : "string"}`).join("; ")} }`,
    ];
    const tools = (type: string) =>
      Array.from(
        { length: 500 },
        (_, n) => `/** Tool ${n}. */ export const t${n} = (a: ${n % 50 ? type : "Wide"}) => a;`,
      );
    project.write("many.ts", ...types, ...tools("Node"));
    expect(project.proffer("lock", "many.ts", "--file", "many.lock.json").stderr).toContain("500 tools");
    project.write(
      "many.ts",
      ...types.map((type) => type.replace("name: string", "name: string; tag: string")),
      ...tools("Node"),
    );
    const { status, stdout } = project.proffer("lock", "many.ts", "--check", "--file", "many.lock.json");
    expect(status).toBe(1);
    expect(stdout).toContain("many.ts:4 break t1: Parameter a.tag became required.");
  });

  it.each([
    ["a broken one", "{", "is not valid JSON. Restore broken.lock.json from version control"],
    [
      "one of a later version",
      '{ "lockVersion": 2 }',
      "has lockVersion 2, but this Proffer knows only 1. Update @proffer/cli",
    ],
    ["one of an earlier version", '{ "lockVersion": 0 }', "has lockVersion 0, not 1. Restore"],
    ["another JSON file", "[]", "has lockVersion undefined, not 1"],
    [
      "one without its lists",
      '{ "lockVersion": 1, "module": "a.ts" }',
      "is not a lock of Proffer: tools must be an object",
    ],
    [
      "one with other members",
      '{ "lockVersion": 1, "module": "a.ts", "tools": { "a": { "inputSchema": 5 } }, "prompts": {}, "resources": {}, "resourceTemplates": {} }',
      "tools.a has members of other types",
    ],
    [
      "the lock of another module",
      '{ "lockVersion": 1, "module": "b.ts", "tools": {}, "prompts": {}, "resources": {}, "resourceTemplates": {} }',
      "broken.lock.json is the lock of b.ts, not of a.ts. Choose another file with --file.",
    ],
  ])("refuses %s and leaves it unchanged", (_, content, message) => {
    project.write("a.ts", "/** A. */ export const a = () => 1;");
    project.write("broken.lock.json", content);
    const { status, stderr } = project.proffer("lock", "a.ts", "--file", "broken.lock.json");
    expect(status).toBe(1);
    expect(stderr).toContain(message);
    expect(project.read("broken.lock.json")).toBe(`${content}\n`);
  });

  it("refuses a check without a lock, a folder, a module with errors, and --strict alone", () => {
    project.write("a.ts", "/** A. */ export const a = () => 1;");
    rmSync(project.path("missing.json"), { force: true });
    expect(project.proffer("lock", "a.ts", "--check", "--file", "missing.json")).toMatchObject({
      status: 1,
      stderr: "error: missing.json does not exist. Write it with proffer lock a.ts, and commit it.\n",
    });
    mkdirSync(project.path("folder"), { recursive: true });
    expect(project.proffer("lock", "a.ts", "--file", "folder").stderr).toContain("is not a file");
    project.write("bad.ts", "/** Bad. */ export const bad = (f: () => void) => f();");
    const bad = project.proffer("lock", "bad.ts", "--file", "bad.lock.json");
    expect(bad).toMatchObject({ status: 1 });
    expect(bad.stderr).toContain("PF1102");
    expect(project.proffer("lock", "a.ts", "--strict").status).toBe(2);
  });
});
