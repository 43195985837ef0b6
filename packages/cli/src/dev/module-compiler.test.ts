import { mkdirSync, mkdtempSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, it } from "vitest";
import { makeRunnable } from "./compiler-worker.ts";
import { type CompiledModule, createModuleCompiler, type ModuleScope } from "./module-graph.ts";

const folder = mkdtempSync(join(tmpdir(), "proffer-compiler-"));

afterAll(() => rmSync(folder, { recursive: true }));

/** Runs a module without imports and returns its exports. */
async function exportsOf(module: CompiledModule | undefined): Promise<Record<string, unknown>> {
  const getters = new Map<string, () => unknown>();
  const scope: ModuleScope = {
    meta: {},
    turn: Promise.resolve(),
    import: () => Promise.reject(new Error("It imports nothing.")),
    export: (name, get) => getters.set(name, get),
  };
  const { run } = module ?? { run: async () => {} };
  await run(scope);
  return Object.fromEntries([...getters].map(([name, get]) => [name, get()]));
}

it("runs the newest text and keeps unchanged modules, also in a linked folder", async () => {
  mkdirSync(join(folder, "real"));
  symlinkSync(join(folder, "real"), join(folder, "link"), "junction");
  const compile = createModuleCompiler(join(folder, "link"));
  const same = { path: "same.js", source: "/same.ts", text: "export const value = {};" };
  const kept = new Set<CompiledModule | undefined>();
  for (let version = 0; version < 8; version++) {
    const edited = { path: "deep/edited.js", source: "/edited.ts", text: `export const value = ${version};` };
    const modules = compile([same, edited].map(makeRunnable), (path) => path);
    kept.add(modules.get("same.js"));
    expect(await exportsOf(modules.get("deep/edited.js"))).toEqual({ value: version });
  }
  expect(kept.size).toBe(1);
  const [module] = kept;
  const [once, again] = [await exportsOf(module), await exportsOf(module)];
  expect(once.value).not.toBe(again.value);
});
