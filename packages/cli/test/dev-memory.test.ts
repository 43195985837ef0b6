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
    // The one of the repository leads to the sources of `proffer`, which have to be there once only.
    tsconfigRaw: {},
  });
});

afterAll(() => project.remove());

// A program of the compiler takes tens of megabytes: to keep one for each edit, or a part of it, would go far beyond the
// bound. Node keeps what it has imported, which of this module is about ten kilobytes.
it("proffer dev holds on to nothing of its own over 200 edits", () => {
  const args = ["--expose-gc", project.path("edits.mjs"), project.path("tools.ts")];
  const { stdout, stderr } = spawnSync(process.execPath, args, { cwd: project.folder, encoding: "utf8" });
  expect(stderr).toBe("");
  expect(Number(stdout)).toBeGreaterThan(0);
  expect(Number(stdout)).toBeLessThan(40);
});
