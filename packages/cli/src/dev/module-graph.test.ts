import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { afterEach, expect, it } from "vitest";
import { makeRunnable } from "./compiler-worker.ts";
import { createModuleCompiler, createModuleGraph, type Namespace, openExternalModules } from "./module-graph.ts";

let folder: string;

afterEach(() => rmSync(folder, { recursive: true }));

/** Creates a graph of emitted modules in a project with packages. Returns a function that imports one of them. */
async function open(
  files: Record<string, string>,
  packages: Record<string, string> = {},
): Promise<(path: string) => Promise<Namespace>> {
  folder = realpathSync(mkdtempSync(join(tmpdir(), "proffer-graph-")));
  for (const [path, text] of Object.entries(packages)) {
    const target = join(folder, "node_modules", path);
    mkdirSync(join(target, ".."), { recursive: true });
    writeFileSync(target, text);
  }
  const emitted = Object.entries(files).map(([path, text]) => ({ path, source: join(folder, "src", path), text }));
  const urlOf = (path: string) => pathToFileURL(join(folder, "out", path)).href;
  const compiler = createModuleCompiler(join(folder, "run"))(emitted.map(makeRunnable), urlOf);
  const graph = createModuleGraph(compiler, await openExternalModules(join(folder, "out")));
  return (path) => graph(urlOf(path));
}

it("exports live bindings, also through other modules", async () => {
  const load = await open({
    "main.js": `
      import { count, increment } from "./count.js";
      export { count as again } from "./count.js";
      export { count };
      export const read = () => count;
      export { increment };
    `,
    "count.js": "export let count = 0; export function increment() { count++; }",
  });
  const main = await load("main.js");
  (main.increment as () => void)();
  expect([main.count, main.again, (main.read as () => number)()]).toEqual([1, 1, 1]);
});

it("exports each kind of declaration", async () => {
  const load = await open({
    "main.js": `
      export const { a, b: [b, ...c] } = { a: 1, b: new Set([2, 3, 4]) };
      export function d() { return e; }
      export class e { static name = "E"; }
      const f = 5;
      export { f as "f f" };
      export let g;
      export default class {}
    `,
  });
  const main = await load("main.js");
  expect(Object.keys(main).sort()).toEqual(["a", "b", "c", "d", "default", "e", "f f", "g"]);
  expect([main.a, main.b, main.c, main["f f"], main.g]).toEqual([1, 2, [3, 4], 5, undefined]);
  expect((main.d as () => unknown)()).toBe(main.e);
});

it.each([
  ["export default function () { return 1; }", (value: unknown) => (value as () => unknown)()],
  ["export default async () => 1", (value: unknown) => (value as () => unknown)()],
  ["export default function named() { return 1; }", (value: unknown) => (value as () => unknown)()],
  ["export default class { one = 1 }\n(() => {})();", (value: unknown) => new (value as new () => { one: 1 })().one],
  ['import one from "./one.js"; export default one;', (value: unknown) => value],
  ['import one from "./one.js"; export default { one };', (value: unknown) => (value as { one: 1 }).one],
])("has the default export of: %s", async (text, use) => {
  const load = await open({ "main.js": text, "one.js": "export default 1;" });
  expect(await use((await load("main.js")).default)).toBe(1);
});

it("re-exports all names of other modules except their default, also in a cycle", async () => {
  const load = await open({
    "main.js": 'export * from "./a.js"; export * as b from "./b.js"; export const own = "main"; export default 1;',
    "a.js": 'export * from "./b.js"; export const a = 1; export const own = "a"; export default 2;',
    "b.js": 'export * from "./a.js"; export * from "node:path"; export const b = 2; export default 3;',
  });
  const main = await load("main.js");
  expect([main.a, main.own, main.default, typeof main.join]).toEqual([1, "main", 1, "function"]);
  expect(main.b).toMatchObject({ a: 1, b: 2, default: 3 });
});

it("replaces only the names that refer to an import", async () => {
  const load = await open({
    "main.js": `
      import { x, tell } from "./x.js";
      import * as all from "./x.js";
      const shadow = (x) => { { const tell = 1; } return x; };
      class Box { x = x; static tell = tell; [x + 2]() { return "computed"; } }
      label: for (const x of [0]) { continue label; }
      const { x: renamed = x } = {};
      function own() { var x = "own"; return x; }
      export const seen = [
        x, { x }.x, { x: 1 }.x, all.x, new Box().x, new Box().x2(), shadow("given"), renamed, own(),
        tell(), tell\`\`, tell?.(), Box.tell === tell, typeof x,
      ];
    `,
    "x.js": 'export const x = "x"; export function tell() { return this === undefined; }',
  });
  expect((await load("main.js")).seen).toEqual([
    "x",
    "x",
    1,
    "x",
    "x",
    "computed",
    "given",
    "x",
    "own",
    true,
    true,
    true,
    true,
    "string",
  ]);
});

it("allows functions of circular imports to be used early, but no uninitialized binding", async () => {
  const load = await open({
    "main.js": 'export { early } from "./a.js"; export { late } from "./b.js";',
    "a.js":
      'import { fromB } from "./b.js"; export const early = fromB(); export function fromA() { return "a"; } export const late = "late";',
    "b.js":
      'import { fromA, late as value } from "./a.js"; export function fromB() { return fromA(); } export const late = () => value;',
    "bad.js": 'import "./bad-other.js"; export const value = 1;',
    "bad-other.js": 'import { value } from "./bad.js"; export const other = value;',
  });
  const main = await load("main.js");
  expect([main.early, (main.late as () => string)()]).toEqual(["a", "late"]);
  await expect(load("bad.js")).rejects.toThrow(new ReferenceError("Cannot access 'value' before initialization"));
});

it("evaluates each module once, after its imports, and waits for top-level await", async () => {
  const load = await open(
    {
      "main.js": `
        import "./first.js"; import "package"; export * from "./second.js"; import "./first.js";
        globalThis.order.push("main");
      `,
      "first.js":
        'import "./base.js"; await new Promise((then) => setTimeout(then, 10)); globalThis.order.push("first");',
      "second.js": 'import "./base.js"; globalThis.order.push("second");',
      "base.js":
        'globalThis.order = ["base"]; const { late } = await import("./lazy.js"); globalThis.order.push(late);',
      "lazy.js": 'import "./second-base.js"; export const late = "lazy";',
      "second-base.js": 'globalThis.order.push("second-base");',
    },
    {
      "package/package.json": '{ "exports": "./main.js" }',
      "package/main.js": 'globalThis.order.push("package");',
    },
  );
  await load("main.js");
  await load("main.js");
  expect((globalThis as { order?: string[] }).order).toEqual([
    "base",
    "second-base",
    "lazy",
    "first",
    "package",
    "second",
    "main",
  ]);
});

it("imports dynamically: project files once per query, everything else through Node", async () => {
  const load = await open({
    "main.js": "export const load = (name) => import(name);",
    "sub/lazy.js": "export const made = {}; export const up = () => import('../main.js');",
    "data.json": '{ "deep": [1] }',
  });
  const main = await load("main.js");
  const later = main.load as (name: string) => Promise<Namespace>;
  const lazy = await later("./sub/lazy.js");
  expect((await later("./sub/lazy.js")).made).toBe(lazy.made);
  expect((await later("./sub/lazy.js?again")).made).not.toBe(lazy.made);
  expect(await (lazy.up as () => Promise<Namespace>)()).toBe(main);
  expect((await later("./data.json")).default).toEqual({ deep: [1] });
  expect(typeof (await later("node:fs")).readFileSync).toBe("function");
  await expect(later("./absent.js")).rejects.toThrow(/absent\.js/);
});

it("imports JSON and packages, CommonJS packages by default and by name", async () => {
  const load = await open(
    {
      "main.js": `
        import data from "./data.json" with { type: "json" };
        import common, { named } from "common";
        import settings from "common/settings.json" with { type: "json" };
        export const all = [data.a, common.named, named, settings.b];
      `,
      "data.json": '{ "a": 1 }',
    },
    { "common/index.js": "exports.named = 2;", "common/settings.json": '{ "b": 3 }' },
  );
  expect((await load("main.js")).all).toEqual([1, 2, 2, 3]);
});

it("rejects the import of a missing export", async () => {
  const load = await open({
    "main.js": 'import { absent } from "./other.js"; absent;',
    "native.js": 'import { absent } from "node:path"; absent;',
    "other.js": "export {};",
  });
  await expect(load("main.js")).rejects.toThrow("module './other.js' does not provide an export named 'absent'");
  await expect(load("native.js")).rejects.toThrow("module 'node:path' does not provide an export named 'absent'");
});

it("has import.meta of its source, and no CommonJS variables", async () => {
  const load = await open({
    "main.js": `#!/usr/bin/env node
      export const { url, filename, dirname } = import.meta;
      export const found = import.meta.resolve("./other.js");
      export const names = [typeof require, typeof module, typeof exports, typeof __filename, typeof this];
    `,
    "own.js":
      'import { createRequire } from "node:module"; const require = createRequire(import.meta.url); export const x = require("node:path").sep;',
  });
  const main = await load("main.js");
  const source = join(folder, "src/main.js");
  expect(main).toMatchObject({ url: pathToFileURL(source).href, filename: source, dirname: join(folder, "src") });
  expect(main.found).toBe(pathToFileURL(join(folder, "out/other.js")).href);
  expect(new Set(main.names as string[])).toEqual(new Set(["undefined"]));
  expect(typeof (await load("own.js")).x).toBe("string");
});

it("fails again when a failed module is imported again, without affecting others", async () => {
  const load = await open({
    "main.js": 'import "./bad.js"; import "./good.js";',
    "bad.js": 'throw new Error("bad");',
    "good.js": "export const good = true;",
  });
  await expect(load("main.js")).rejects.toThrow("bad");
  await expect(load("main.js")).rejects.toThrow("bad");
  expect((await load("good.js")).good).toBe(true);
});
