import { mkdirSync, rmSync, symlinkSync } from "node:fs";
import { relative } from "node:path";
import { afterEach, describe, expect, test } from "vitest";
import { createDeriver } from "../../src/derive/deriver.ts";
import type { Derivation } from "../../src/derive/model/description.ts";
import { createWorkspace, type Workspace, type WorkspaceOptions } from "./workspace.ts";

let workspace: Workspace;

afterEach(() => workspace.remove());

function open(files: Record<string, string>, options?: WorkspaceOptions): Workspace {
  workspace = createWorkspace(options);
  workspace.write(files);
  return workspace;
}

function codes({ diagnostics }: Derivation): string[] {
  return diagnostics.map(({ code }) => code);
}

function toolNames({ tools }: Derivation): string[] {
  return tools.map(({ name }) => name);
}

const HELLO = "/** Greets. */ export function hello(name: string): string { return name; }\n";

test("a collection that contains itself is derived", () => {
  const types = ["Set<T0>", "ReadonlySet<T1 | string>", "Map<string, T2>", "Map<T3, number>", "Iterable<T4>"];
  const text = types.map(
    (type, i) => `export type T${i} = ${type};\n/** Takes. */ export function f${i}(a: T${i}): void { void a; }\n`,
  );
  open({ "input.ts": text.join("") });
  const derivation = createDeriver(workspace.path("input.ts")).derive();
  expect(codes(derivation)).toEqual([]);
  const found = derivation.tools.map(({ inputSchema: { properties, $defs = {} } }) => {
    const { $ref = "" } = (properties?.a ?? {}) as { $ref?: string };
    return ($defs[$ref.replace("#/$defs/", "")] as { type?: string }).type;
  });
  expect(found).toEqual(["array", "array", "object", "array", "array"]);
});

describe("deriving repeatedly", () => {
  test("picks up edits of the entry and its imports, with the same result as a fresh derivation", () => {
    open({
      "input.ts": `import type { Item } from "./lib/item.ts";\n/** Takes. */ export function take(item: Item): void { void item; }\n`,
      "lib/item.ts": "export interface Item { a: string }",
    });
    const deriver = createDeriver(workspace.path("input.ts"));
    deriver.derive();
    workspace.write({ "lib/item.ts": "export interface Item { b: number }" });
    const second = deriver.derive();
    expect(second.tools[0]?.inputSchema.properties?.item).toMatchObject({ properties: { b: { type: "number" } } });
    workspace.write({ "input.ts": HELLO });
    const third = deriver.derive();
    expect(toolNames(third)).toEqual(["hello"]);
    expect(third.files.map((file) => relative(workspace.directory, file))).toEqual(["input.ts", "package.json"]);
    expect(third).toEqual(createDeriver(workspace.path("input.ts")).derive());
  });

  test("returns the same description of a function when other functions change", () => {
    const speed = `/** Drives. */ export function drive(speed: "fast" | "slow") { return { speed, other: flag() ? "b" as const : "a" as const }; }\nconst flag = () => true;\n`;
    open({ "input.ts": speed });
    const deriver = createDeriver(workspace.path("input.ts"));
    const before = deriver.derive().tools[0];
    workspace.write({
      "input.ts": `/** First. */ export function first(x: "slow" | "a" | "b" | "fast"): void { void x; }\n${speed}`,
    });
    expect(deriver.derive().tools[1]).toEqual(before);
  });

  test("reports diagnostics at their new places after an edit of a body", () => {
    const text = (body: string, gap: string) =>
      `/** Adds. */ export function add(a: number): number { ${body} }\n${gap}export function log(value: any): void { void value; }\n`;
    open({ "input.ts": text("return a;", "") });
    const deriver = createDeriver(workspace.path("input.ts"));
    deriver.derive();
    workspace.write({ "input.ts": text("const b = a;\n\n  return b;", "\n// Writes the value.\n") });
    const second = deriver.derive();
    expect(second).toEqual(createDeriver(workspace.path("input.ts")).derive());
    expect(second.diagnostics.map(({ code, line }) => `${code} ${line}`)).toEqual(["PF2001 6", "PF2003 6"]);
  });

  test.each<[edit: string, before: string, after: string]>([
    [
      "of a body without a return type",
      "/** F. */ export function f() { return 1; }",
      '/** F. */ export function f() { return "a"; }',
    ],
    [
      "of an arrow function without a block",
      "/** F. */ export const f = (): { a: unknown } => ({ a: 1 }); /** G. */ export const g = () => 1;",
      '/** F. */ export const f = (): { a: unknown } => ({ a: 2 }); /** G. */ export const g = () => "a";',
    ],
    [
      "of a documentation comment",
      "/** F. */ export function f(): void {}\n/** G. */\nexport function g(): void {}",
      "/** F. */ export function f(): void {}\n/** Gets. */\nexport function g(): void {}",
    ],
    [
      "that moves a documentation comment to another line",
      "export function f(): void {} /** G. */ export function g(): void {}",
      "export function f(): void {} /** G. */\nexport function g(): void {}",
    ],
    [
      "of a default value",
      "/** F. */ export function f(a = 1): void { void a; }",
      "/** F. */ export function f(a = 2): void { void a; }",
    ],
    [
      "of a constructor",
      "class A { b; constructor() { this.b = 1; } }\n/** F. */ export function f(): A { return new A(); }",
      'class A { b; constructor() { this.b = "a"; } }\n/** F. */ export function f(): A { return new A(); }',
    ],
  ])("describes the module again after an edit %s", (_, before, after) => {
    open({ "input.ts": before });
    const deriver = createDeriver(workspace.path("input.ts"));
    const first = deriver.derive();
    workspace.write({ "input.ts": after });
    const second = deriver.derive();
    expect(second.tools).not.toEqual(first.tools);
    expect(second).toEqual(createDeriver(workspace.path("input.ts")).derive());
  });

  test("finds companions in bodies after an edit", () => {
    const text = (inner: string) => `import { companion } from "proffer";
/** Reads. @resource a://{id} */ export function read(id: string): string { return id; }
/** Starts. */ export function start(): void { ${inner} }
`;
    open({ "input.ts": text("void companion;") });
    const deriver = createDeriver(workspace.path("input.ts"));
    deriver.derive();
    workspace.write({ "input.ts": text("companion(read, { exists: () => true });") });
    const second = deriver.derive();
    expect(second.resources[0]).toHaveProperty("companion");
    expect(second).toEqual(createDeriver(workspace.path("input.ts")).derive());
  });

  test("recovers from a syntax error", () => {
    open({ "input.ts": HELLO });
    const deriver = createDeriver(workspace.path("input.ts"));
    const before = deriver.derive();
    workspace.write({ "input.ts": "export function hello(" });
    const broken = deriver.derive();
    expect(broken.tools).toEqual([]);
    expect(codes(broken)).toContain("TS1005");
    workspace.write({ "input.ts": HELLO });
    expect(deriver.derive()).toEqual(before);
  });

  test("finds new modules and reports removed ones", () => {
    open({
      "input.ts": `import type { Item } from "./item.ts";\nimport { Gone } from "late";\n/** Takes. */ export function take(item: Item, gone: Gone): void { void [item, gone]; }\n`,
    });
    const deriver = createDeriver(workspace.path("input.ts"));
    expect(codes(deriver.derive())).toEqual(["TS2307", "TS2307", "PF1101", "PF1101"]);
    workspace.write({
      "item.ts": "export type Item = string;",
      "node_modules/late/package.json": '{ "name": "late", "version": "1.0.0", "types": "index.d.ts" }',
      "node_modules/late/index.d.ts": "export interface Gone { a: string }",
    });
    expect(codes(deriver.derive())).toEqual([]);
    rmSync(workspace.path("item.ts"));
    expect(codes(deriver.derive())).toEqual(["TS2307", "PF1101"]);
  });

  test("picks up changes of the compiler options and of package.json", () => {
    open({
      "input.ts": `import { a } from "@lib/a";\n/** Gives. */ export function give(): string { return a; }\n`,
      "lib/a.ts": 'export const a = "a";',
    });
    const deriver = createDeriver(workspace.path("input.ts"));
    expect(codes(deriver.derive())).toEqual(["TS2307"]);
    workspace.write({ "tsconfig.json": '{ "compilerOptions": { "paths": { "@lib/*": ["./lib/*"] } } }' });
    expect(codes(deriver.derive())).toEqual([]);
    workspace.write({ "package.json": '{ "name": "renamed", "version": "2.0.0" }' });
    expect(deriver.derive().server).toEqual({ name: "renamed", version: "2.0.0" });
  });
});

describe("a derivation", () => {
  test("lists the author's files", () => {
    open({
      "tsconfig.json": '{ "extends": "./base.json" }',
      "base.json": "{}",
      "src/input.ts": `import type { Money } from "acme-types";\nimport { a } from "./a.ts";\nimport data from "../data.json";\n/** Gives. */ export function give(): Money { return { amount: a, currency: data.currency }; }\n`,
      "src/a.ts": "export const a = 1;",
      "data.json": '{ "currency": "EUR" }',
    });
    const { files } = createDeriver(workspace.path("src/input.ts")).derive();
    expect(files.map((file) => relative(workspace.directory, file))).toEqual([
      "base.json",
      "data.json",
      "package.json",
      "src/a.ts",
      "src/input.ts",
      "tsconfig.json",
    ]);
  });

  test("lists files by their real path", () => {
    open({ "real/input.ts": HELLO });
    symlinkSync(workspace.path("real"), workspace.path("link"));
    expect(createDeriver(workspace.path("link/input.ts")).derive().files[0]).toBe(workspace.path("package.json"));
    expect(createDeriver(workspace.path("link/input.ts")).derive().files[1]).toBe(workspace.path("real/input.ts"));
  });

  test("is plain JSON", () => {
    open({ "input.ts": HELLO });
    const derivation = createDeriver(workspace.path("input.ts")).derive();
    expect(JSON.parse(JSON.stringify(derivation))).toEqual(derivation);
  });
});

describe("the entry", () => {
  test("may be created after the deriver", () => {
    open({});
    const deriver = createDeriver(workspace.path("input.ts"));
    expect(deriver.derive().diagnostics).toMatchObject([{ code: "PF1001", file: workspace.path("input.ts"), line: 1 }]);
    expect(() => deriver.emit(workspace.path("out"))).toThrow(/does not exist/);
    workspace.write({ "input.ts": HELLO });
    expect(toolNames(deriver.derive())).toEqual(["hello"]);
  });

  test("must not be a directory", () => {
    open({});
    mkdirSync(workspace.path("input.ts"));
    expect(codes(createDeriver(workspace.path("input.ts")).derive())).toEqual(["PF1001"]);
  });

  test("names the server if there is no package.json", () => {
    open({ "input.ts": HELLO });
    rmSync(workspace.path("package.json"));
    expect(createDeriver(workspace.path("input.ts")).derive().server).toEqual({ name: "input", version: "0.0.0" });
  });

  test("may be in a folder whose package.json only sets the module type", () => {
    open({ "src/input.ts": HELLO, "src/package.json": '{ "type": "module" }' });
    expect(createDeriver(workspace.path("src/input.ts")).derive().server.name).toBe("app");
  });

  test("may be a declaration file without JavaScript", () => {
    open({ "input.d.ts": "/** Greets. */ export function hello(name: string): string;" });
    expect(toolNames(createDeriver(workspace.path("input.d.ts")).derive())).toEqual(["hello"]);
  });

  test("may have circular imports", () => {
    open({
      "input.ts": `import { b } from "./b.ts";\n/** A. */ export function a(): string { return b(); }\n`,
      "b.ts": `import { a } from "./input.ts";\nexport function b(): string { return a.name; }\n`,
    });
    expect(codes(createDeriver(workspace.path("input.ts")).derive())).toEqual([]);
  });
});

describe("without @types/node", () => {
  test("APIs of every host are available", () => {
    open(
      { "input.ts": "/** Logs. */ export function log(url: URL): void { console.log(url.href); }" },
      { nodeTypes: false },
    );
    const { tools, diagnostics } = createDeriver(workspace.path("input.ts")).derive();
    expect(diagnostics).toEqual([]);
    expect(tools[0]?.inputSchema.properties).toEqual({ url: { type: "string", format: "uri" } });
  });

  test("a Node API is an error that names the package to install", () => {
    open({ "input.ts": "/** Reads. */ export function read(data: Buffer): void { void data; }" }, { nodeTypes: false });
    const { tools, diagnostics } = createDeriver(workspace.path("input.ts")).derive();
    expect(tools).toEqual([]);
    expect(diagnostics.find(({ code }) => code === "PF1101")?.message).toContain("npm install --save-dev @types/node");
  });
});

describe("a package whose types need the DOM", () => {
  const chart =
    'import type { ChartOptions } from "acme-types"; /** Draws. */ export const draw = (chart: ChartOptions): string => chart.title;';
  const withLib = (lib: string[]) =>
    JSON.stringify({ compilerOptions: { strict: true, lib, skipLibCheck: true, types: [] } });

  test("is one error that names the library of TypeScript", () => {
    open({ "input.ts": chart, "tsconfig.json": withLib(["es2023"]) }, { nodeTypes: false });
    const { tools, diagnostics } = createDeriver(workspace.path("input.ts")).derive();
    expect(tools).toEqual([]);
    expect(diagnostics.map(({ message }) => message)).toEqual([
      'The types of acme-types need others that cannot be resolved, probably those of the DOM. Add "dom" to "lib" in tsconfig.json.',
    ]);
  });

  test("is derived without its elements after that", () => {
    open({ "input.ts": chart, "tsconfig.json": withLib(["es2023", "dom"]) }, { nodeTypes: false });
    const { tools, diagnostics } = createDeriver(workspace.path("input.ts")).derive();
    expect(diagnostics).toEqual([]);
    expect(JSON.stringify(tools[0]?.inputSchema.properties)).not.toMatch(/canvas|layers/);
  });
});

test("check: false omits TypeScript's errors, except syntax errors", () => {
  open({ "input.ts": '/** Counts. */ export function count(): number { const wrong: number = ""; return wrong; }' });
  expect(codes(createDeriver(workspace.path("input.ts")).derive())).toEqual(["TS2322"]);
  expect(codes(createDeriver(workspace.path("input.ts"), { check: false }).derive())).toEqual([]);
  workspace.write({ "input.ts": "export function (" });
  expect(codes(createDeriver(workspace.path("input.ts"), { check: false }).derive())).not.toEqual([]);
});

test("reports an invalid tsconfig.json", () => {
  open({ "input.ts": HELLO, "tsconfig.json": '{ "compilerOptions": { "paths": 5, } }' });
  const { diagnostics, tools } = createDeriver(workspace.path("input.ts")).derive();
  expect(diagnostics.map(({ file }) => relative(workspace.directory, file))).toEqual(["tsconfig.json"]);
  expect(tools).toHaveLength(1);
});
