import { spawnSync } from "node:child_process";
import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { afterEach, expect, test } from "vitest";
import { createDeriver } from "../../src/derive/deriver.ts";
import type { Emission } from "../../src/derive/model/description.ts";
import { writeEmission } from "../../src/modules/emission.ts";
import { createWorkspace, type Workspace } from "./workspace.ts";

let workspace: Workspace;

afterEach(() => workspace.remove());

/** Emits a new project and returns the emission. */
function emit(files: Record<string, string>, entry = "input.ts"): Emission {
  workspace = createWorkspace();
  workspace.write(files);
  return emitAgain(entry);
}

function emitAgain(entry = "input.ts"): Emission {
  const deriver = createDeriver(workspace.path(entry));
  expect(deriver.derive().diagnostics.filter(({ severity }) => severity === "error")).toEqual([]);
  const emission = deriver.emit(workspace.path(".proffer/js"));
  writeEmission(workspace.path(".proffer/js"), emission);
  // The emitted files are ECMAScript modules, even if the author's package.json says otherwise.
  writeFileSync(workspace.path(".proffer/js/package.json"), '{ "type": "module" }');
  return emission;
}

/** Runs a module that imports the emitted entry as `m`, and returns its output. */
function run(emission: Emission, code: string, ...flags: string[]): string {
  const main = workspace.path(".proffer/js/run.mjs");
  writeFileSync(main, `import * as m from "./${emission.entry}";\n${code}\n`);
  const { stdout, stderr, status } = spawnSync(process.execPath, [...flags, main], { encoding: "utf8" });
  expect(stderr.replace(/^.*ExperimentalWarning: Importing JSON.*\n.*\n/m, "")).toBe("");
  expect(status).toBe(0);
  return stdout.trim();
}

function textOf(emission: Emission, path: string): string {
  const file = emission.files.find((each) => each.path === path);
  return file?.text.replace(/\n\/\/# sourceMappingURL.*\n$/, "") ?? "";
}

test("rewrites every kind of specifier to the emitted files", () => {
  const emission = emit({
    "tsconfig.json": '{ "compilerOptions": { "paths": { "@lib/*": ["./src/lib/*"], "config": ["./src/config.ts"] } } }',
    "package.json": '{ "name": "app", "version": "1.0.0", "imports": { "#deep/*": "./src/deep/*" } }',
    "input.ts": `
      import { a } from "./src/a.ts";
      import { b } from "./src/b";
      import { c } from "./src/c.js";
      import { d } from "./src/d";
      import { e } from "@lib/e";
      import { config } from "config";
      import { f } from "#deep/f.ts";
      import "./src/effect.ts";
      export * from "./src/more.ts";
      export { named } from "./src/named";
      /** All of them. */
      export async function all(): Promise<string> {
        const { g } = await import("./src/g.mjs");
        return [a, b, c, d, e, config, f, g, (globalThis as { effect?: string }).effect].join("");
      }
    `,
    "src/a.ts": 'export const a = "a";',
    "src/b.ts": 'export const b = "b";',
    "src/c.ts": 'export const c = "c";',
    "src/d/index.ts": 'export { d } from "../d.value.ts";',
    "src/d.value.ts": 'export const d = "d";',
    "src/lib/e.ts": 'import { a } from "@lib/../a.ts"; export const e = a.replace("a", "e");',
    "src/config.ts": 'export const config = "!";',
    "src/deep/f.ts": 'export const f = "f";',
    "src/g.mts": 'export const g = "g";',
    "src/effect.ts": '(globalThis as { effect?: string }).effect = "?"; export {};',
    "src/more.ts": "/** More. */ export const more = () => 1;",
    "src/named.ts": "/** Named. */ export const named = () => 2;",
  });
  expect(run(emission, "console.log(await m.all(), m.more(), m.named());")).toBe("abcde!fg? 1 2");
});

test("imports JSON with or without the attribute, also from a parent folder of the entry", () => {
  const emission = emit(
    {
      "data.json": '{ "name": "data" }',
      "src/input.ts": `
        import data from "../data.json";
        import again from "../data.json" with { type: "json" };
        /** Reads. */
        export async function read(): Promise<string> {
          const { default: later } = await import("../data.json");
          return data.name + again.name + later.name;
        }
      `,
    },
    "src/input.ts",
  );
  expect(emission.entry).toBe("src/input.js");
  expect(run(emission, "console.log(await m.read());")).toBe("datadatadata");
});

test("removes imports of types, with and without the type keyword", () => {
  const emission = emit({
    "input.ts": `
      import { Context } from "proffer";
      import { type Item, make, Kind, Level } from "./lib.ts";
      /** Makes. */
      export function run(ctx: Context): Item { return make(Kind.B, Level.High); }
    `,
    "lib.ts": `
      export interface Item { kind: Kind; level: number }
      export enum Kind { A = "a", B = "b" }
      export const enum Level { High = 5 }
      export function make(kind: Kind, level: number): Item { return { kind, level }; }
    `,
  });
  expect(textOf(emission, "input.js")).not.toContain("proffer");
  expect(run(emission, "console.log(JSON.stringify(m.run({})));")).toBe('{"kind":"b","level":5}');
});

test("adds the schema of its type to each question, also in imported files", () => {
  const emission = emit({
    "input.ts": `
      import type { Context } from "proffer";
      import { confirm } from "./lib/confirm.ts";
      /** Asks. */
      export async function ask(ctx: Context): Promise<void> {
        await ctx.ask<{ name: string; age?: number }>("Who?");
        await ctx.ask<{ name: string }>("Who else?", undefined, { key: "else" });
        await ctx.ask("Given", { type: "object" });
        await confirm(ctx);
      }
    `,
    "lib/confirm.ts": `
      import type { Context } from "proffer";
      export const confirm = (ctx: Context) => ctx.ask<{ /** @default -1 */ offset: number }>("Sure?");
    `,
  });
  const asked = run(
    emission,
    "const calls = []; await m.ask({ ask: async (...args) => { calls.push(args); } }); console.log(JSON.stringify(calls));",
  );
  expect(JSON.parse(asked)).toEqual([
    ["Who?", { type: "object", properties: { name: { type: "string" }, age: { type: "number" } }, required: ["name"] }],
    ["Who else?", { type: "object", properties: { name: { type: "string" } }, required: ["name"] }, { key: "else" }],
    ["Given", { type: "object" }],
    ["Sure?", { type: "object", properties: { offset: { type: "number", default: -1 } }, required: ["offset"] }],
  ]);
});

test("emits the JavaScript next to declaration files", () => {
  const emission = emit(
    {
      "input.js": 'import { join } from "./lib.js"; export const greet = (name) => join("Hello", name);',
      "input.d.ts": "/** Greets. */ export function greet(name: string): string;",
      "lib.js": 'import { separator } from "./separator.js"; export const join = (...all) => all.join(separator);',
      "lib.d.ts": "export function join(...all: string[]): string;",
      "separator.js": 'export const separator = ", ";',
    },
    "input.js",
  );
  expect(emission.files.map(({ path }) => path).sort()).toEqual(["input.js", "lib.js", "separator.js"]);
  expect(run(emission, 'console.log(m.greet("World"));')).toBe("Hello, World");
});

test("includes the sources of another workspace package in the program", () => {
  workspace = createWorkspace();
  workspace.write({
    "../shared/package.json":
      '{ "name": "@acme/shared", "exports": { ".": { "types": "./src/index.ts", "default": "./dist/index.js" } } }',
    "../shared/src/index.ts":
      'export { twice } from "./twice.ts"; /** A pair. */ export interface Pair { a: number; b: number }',
    "../shared/src/twice.ts": "export const twice = (value: number): number => value * 2;",
    "input.ts": `
      import { type Pair, twice } from "@acme/shared";
      /** Doubles. */
      export function double(pair: Pair): number { return twice(pair.a + pair.b); }
    `,
  });
  mkdirSync(workspace.path("../node_modules/@acme"));
  symlinkSync(workspace.path("../shared"), workspace.path("../node_modules/@acme/shared"));
  const emission = emitAgain();
  expect(emission.entry).toBe("app/input.js");
  expect(run(emission, "console.log(m.double({ a: 1, b: 2 }));")).toBe("6");
});

test("keeps the specifiers of packages for Node to resolve", () => {
  const emission = emit({
    "input.ts": `
      import { text } from "proffer";
      import { join } from "node:path";
      /** Uses both. */
      export const use = (): string => JSON.stringify(text(join("a", "b")));
    `,
  });
  expect(run(emission, "console.log(m.use());")).toBe('{"type":"text","text":"a/b"}');
});

test("writes source maps to the author's lines", () => {
  const emission = emit(
    {
      "src/input.ts": `interface Unused { a: string }\n\n/** Fails. */\nexport function fail(value?: Unused): never {\n  throw new Error(String(value));\n}\n`,
    },
    "src/input.ts",
  );
  const stack = run(emission, "try { m.fail() } catch (error) { console.log(error.stack); }", "--enable-source-maps");
  expect(stack).toContain(`${workspace.path("src/input.ts")}:5:9`);
});
