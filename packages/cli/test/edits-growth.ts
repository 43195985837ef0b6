import { spawnSync } from "node:child_process";
import { symlinkSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import { expect, onTestFinished } from "vitest";
import { createProject } from "./project.ts";

/** Applies edits in a process of its own, which shows that stack traces are mapped. Returns the growth of its heap per edit. */
export async function growthPerEdit(edits: number): Promise<number> {
  const project = createProject();
  onTestFinished(() => project.remove());
  const compiler = dirname(createRequire(import.meta.url).resolve("typescript/package.json"));
  symlinkSync(compiler, project.path("node_modules/typescript"), "junction");
  await build({
    entryPoints: [fileURLToPath(new URL("./edits.ts", import.meta.url))],
    outfile: project.path("edits.mjs"),
    bundle: true,
    format: "esm",
    platform: "node",
    external: ["proffer", "proffer/*", "typescript"],
    // The repository's tsconfig maps `proffer` to its sources, which would load the package twice.
    tsconfigRaw: {},
  });
  const args = ["--expose-gc", project.path("edits.mjs"), project.path("tools.ts"), String(edits)];
  const { stdout, stderr } = spawnSync(process.execPath, args, { cwd: project.folder, encoding: "utf8" });
  expect(stderr).toBe("");
  const { perEdit, stack } = JSON.parse(stdout);
  expect(stack.text).toMatch(/tools\.ts:\d+:28/);
  return perEdit;
}
