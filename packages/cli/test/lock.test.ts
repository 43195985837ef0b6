import { mkdirSync, rmSync } from "node:fs";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createDeriver } from "../src/derive/index.ts";
import { compareLocks } from "../src/lock/compare-locks.ts";
import { type Lock, takeLock } from "../src/lock/lock-file.ts";
import { describedServer } from "../src/modules/load.ts";
import { createProject, type Project } from "./project.ts";

let project: Project;

beforeAll(() => {
  project = createProject();
});

afterAll(() => project.remove());

/** Writes a module and takes its lock in this process. */
async function lockOf(file: string, ...lines: string[]): Promise<Lock> {
  project.write(file, ...lines);
  const module = project.path(file);
  const derivation = createDeriver(module, { check: false }).derive();
  return takeLock(await describedServer(module, derivation), derivation, module, project.path("a.lock.json"));
}

const ORDER = [
  "/** An order. @resource orders://{id} @param id - which. @pattern ^\\d+$ */",
  "export const order = (id: string) => id;",
];

describe("proffer lock", () => {
  it("writes names, schemas and descriptions, and names each break of a change with its place", async () => {
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
    const written = await project.proffer("lock", "shop.ts");
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
    const checked = await project.proffer("lock", "shop.ts", "--check");
    expect(checked.status).toBe(1);
    expect(checked.stderr).toContain("3 changes break callers");
    const line = project.read("proffer.lock.json").split("\n").indexOf('    "pay": {') + 1;
    expect(checked.stdout.split("\n")).toEqual([
      "shop.ts:6 break find: Parameter limit became required. optional → required",
      expect.stringContaining("  Make it optional"),
      "shop.ts:6 break find: Property [].id may have other values. string → null|string",
      expect.stringContaining("  Return only"),
      `proffer.lock.json:${line} break pay: The tool is gone.`,
      expect.stringContaining("  Keep it"),
      "shop.ts:4 changed review: The description changed. Reviews. → Reviews code.",
      "",
    ]);
    // Writing accepts the changes, and shows them once more.
    expect(JSON.parse((await project.proffer("lock", "shop.ts", "--json")).stdout)).toMatchObject({
      file: "proffer.lock.json",
      changes: [{ file: "shop.ts", line: 6 }, {}, { level: "break", key: "pay" }, { level: "changed" }],
    });
    expect(await project.proffer("lock", "shop.ts", "--check")).toMatchObject({ status: 0, stdout: "" });
  });

  it("does not fail for new items, unless it is strict", async () => {
    project.write("new.ts", "/** A. */ export const a = (): number => 1;");
    await project.proffer("lock", "new.ts", "--file", "new.lock.json");
    project.write(
      "new.ts",
      "/** A. */ export const a = (z?: 3): number => z ?? 1;",
      "/** C. */ export const c = () => 1;",
    );
    const checked = await project.proffer("lock", "new.ts", "--check", "--file", "new.lock.json");
    expect(checked).toMatchObject({
      status: 0,
      stdout: "new.ts:1 new a: Parameter z is new.\nnew.ts:2 new c: The tool is new.\n",
    });
    expect(checked.stderr).toContain("No change breaks callers. To record them, run proffer lock new.ts.");
    expect((await project.proffer("lock", "new.ts", "--check", "--strict", "--file", "new.lock.json")).status).toBe(1);
  });

  it("has the resources that are tools, and names the loss of such a tool", async () => {
    const line = "export const order = (id: string) => id;";
    const own = "/** Adds. */ export const add = (n: number) => n;";
    const tool = await lockOf("tool.ts", own, "/** An order. @resource orders://{id} @tool */", line);
    const none = await lockOf("tool.ts", own, "/** An order. @resource orders://{id} */", line);
    expect(Object.keys(tool.tools)).toEqual(["add", "order"]);
    expect(tool.tools.order).toMatchObject({ inputSchema: { required: ["id"] }, annotations: { readOnlyHint: true } });
    expect(Object.keys(none.tools)).toEqual(["add"]);
    expect(compareLocks(tool, none)).toMatchObject([{ level: "break", list: "tools", key: "order" }]);
    expect(compareLocks(none, none)).toEqual([]);
  });

  it("does not depend on the order of the code", async () => {
    const [a, b] = ["/** A. */ export const a = () => 1;", "/** B. */ export const b = (x: 1, y: 2) => x + y;"];
    expect(JSON.stringify(await lockOf("order.ts", a, b))).toBe(JSON.stringify(await lockOf("order.ts", b, a)));
  });

  it("has the definitions of a server, also those that it hides, and finds their places", async () => {
    const server = (type: string) => [
      'import { defineServer, defineTool } from "proffer";',
      "const add = defineTool({",
      '  name: "add",',
      `  input: { type: "object", properties: { a: { type: "${type}" } } },`,
      "  handle: () => 1,",
      "});",
      'export default defineServer({ name: "x", version: "1.0.0", tools: [add], shows: () => false });',
    ];
    const [before, after] = [
      await lockOf("number.ts", ...server("number")),
      await lockOf("integer.ts", ...server("integer")),
    ];
    expect(compareLocks(before, after)).toMatchObject([
      { level: "break", key: "add", message: "Parameter a accepts less.", before: "number", after: "integer" },
    ]);
    expect(createDeriver(project.path("number.ts")).sources()).toMatchObject([{ kind: "tool", key: "add", line: 3 }]);
  });

  it("has the tasks of functions and definitions, and names whom a required one breaks", async () => {
    const tool = (tag: string) => `/** Copies. ${tag} */ export const copy = (disk: string) => disk;`;
    const before = await lockOf("tasks.ts", tool("@task ttl 2h"));
    expect(before.tools.copy).toMatchObject({ task: { required: false, ttl: 7_200_000 } });
    const after = await lockOf("tasks.ts", tool("@task required ttl 2h"));
    expect(compareLocks(before, after)).toMatchObject([
      { level: "break", key: "copy", before: "optional", after: "required", remedy: expect.stringContaining("@task") },
    ]);
    const defined = await lockOf(
      "defined-task.ts",
      'import { defineServer, defineTool } from "proffer";',
      'const copy = defineTool({ name: "copy", task: { after: Infinity }, handle: () => 1 });',
      'export default defineServer({ name: "x", version: "1.0.0", tools: [copy] });',
    );
    expect(defined.tools.copy?.task).toEqual({ required: false, ttl: 3_600_000 });
    expect((await lockOf("tasks.ts", tool(""))).tools.copy).not.toHaveProperty("task");
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
      "one with another task",
      '{ "lockVersion": 1, "module": "a.ts", "tools": { "a": { "task": { "required": 1 } } }, "prompts": {}, "resources": {}, "resourceTemplates": {} }',
      "tools.a has members of other types",
    ],
    [
      "the lock of another module",
      '{ "lockVersion": 1, "module": "b.ts", "tools": {}, "prompts": {}, "resources": {}, "resourceTemplates": {} }',
      "broken.lock.json is the lock of b.ts, not of a.ts. Choose another file with --file.",
    ],
  ])("refuses %s and leaves it unchanged", async (_, content, message) => {
    project.write("a.ts", "/** A. */ export const a = () => 1;");
    project.write("broken.lock.json", content);
    const { status, stderr } = await project.proffer("lock", "a.ts", "--file", "broken.lock.json");
    expect(status).toBe(1);
    expect(stderr).toContain(message);
    expect(project.read("broken.lock.json")).toBe(`${content}\n`);
  });

  it("refuses a check without a lock, a folder, a module with errors, and --strict alone", async () => {
    project.write("a.ts", "/** A. */ export const a = () => 1;");
    rmSync(project.path("missing.json"), { force: true });
    expect(await project.proffer("lock", "a.ts", "--check", "--file", "missing.json")).toMatchObject({
      status: 1,
      stderr: "error: missing.json does not exist. Write it with proffer lock a.ts, and commit it.\n",
    });
    mkdirSync(project.path("folder"), { recursive: true });
    expect((await project.proffer("lock", "a.ts", "--file", "folder")).stderr).toContain("is not a file");
    project.write("bad.ts", "/** Bad. */ export const bad = (f: () => void) => f();");
    const bad = await project.proffer("lock", "bad.ts", "--file", "bad.lock.json");
    expect(bad).toMatchObject({ status: 1 });
    expect(bad.stderr).toContain("PF1102");
    expect((await project.proffer("lock", "a.ts", "--strict")).status).toBe(2);
  });
});
