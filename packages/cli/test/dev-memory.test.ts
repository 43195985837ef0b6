import { spawnSync } from "node:child_process";
import { symlinkSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import { afterAll, beforeAll, expect, it } from "vitest";
import { createProject, type Project } from "./project.ts";

let project: Project;

beforeAll(async () => {
  project = createProject();
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
});

afterAll(() => project.remove());

// If Node imported the five files, each edit would leak 50 kB, and a leaked compiler program tens of megabytes. The
// growth that remains, at most 14 kB per edit, comes from caches of the compiler and of V8 that are still filling.
it("proffer dev stays flat in memory over 200 edits, and maps stack traces to the source", () => {
  const args = ["--expose-gc", project.path("edits.mjs"), project.path("tools.ts")];
  const { stdout, stderr } = spawnSync(process.execPath, args, { cwd: project.folder, encoding: "utf8" });
  expect(stderr).toBe("");
  const { perEdit, stack } = JSON.parse(stdout);
  expect(perEdit).toBeLessThan(30_000);
  expect(stack.text).toMatch(/tools\.ts:18:28/);
});
