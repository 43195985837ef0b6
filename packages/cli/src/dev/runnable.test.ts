import { mkdirSync, mkdtempSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, it } from "vitest";
import type { ModuleScope, RunnableModule } from "./module-graph.ts";
import { openRunnables } from "./runnable.ts";

const folder = mkdtempSync(join(tmpdir(), "proffer-runnable-"));

afterAll(() => rmSync(folder, { recursive: true }));

/** Runs a module that imports nothing and gives what it exports. */
async function exportsOf(module: RunnableModule | undefined): Promise<Record<string, unknown>> {
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

it("runs the newest text, and keeps what did not change, in a folder behind a link too", async () => {
  mkdirSync(join(folder, "real"));
  symlinkSync(join(folder, "real"), join(folder, "link"), "junction");
  const runnables = openRunnables(join(folder, "link"));
  const same = { path: "same.js", source: "/same.ts", text: "export const value = {};" };
  const kept = new Set<RunnableModule | undefined>();
  for (let version = 0; version < 8; version++) {
    const edited = { path: "deep/edited.js", source: "/edited.ts", text: `export const value = ${version};` };
    const modules = runnables.update([same, edited], (path) => path);
    kept.add(modules.get("same.js"));
    expect(await exportsOf(modules.get("deep/edited.js"))).toEqual({ value: version });
  }
  expect(kept.size).toBe(1);
  const [module] = kept;
  const [once, again] = [await exportsOf(module), await exportsOf(module)];
  expect(once.value).not.toBe(again.value);
});
