import { spawnSync } from "node:child_process";
import { readFileSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { distFile } from "../../proffer/test/dist.ts";
import { createProject, type Project } from "./project.ts";

// The files that a page names by their first line are what its commands are about: each prints what the page shows.

const root = fileURLToPath(new URL("../../../", import.meta.url));

interface Shown {
  readonly command: string;
  readonly output: string;
}

/** Commands with their output below them. */
function runsIn(text: string): Shown[] {
  return [...text.matchAll(/```console\n([\s\S]*?)```/g)]
    .flatMap(([, block = ""]) => block.split(/^\$ /m).slice(1))
    .map((run) => {
      const [command = "", ...output] = run.split("\n");
      return { command, output: output.join("\n") };
    });
}

/** Commands with their output behind them, as a comment. */
function remarksIn(text: string): Shown[] {
  const lines = text.matchAll(/^(npx proffer (?:call|read) .*?) +# (.*)$/gm);
  return [...lines].map(([, command = "", output]) => ({ command, output: `${output}\n` }));
}

describe.each(["README.md", "docs/start.md"])("%s", (page) => {
  const text = readFileSync(join(root, page), "utf8");
  const shown = [...runsIn(text), ...remarksIn(text)];
  let project: Project;

  beforeAll(() => {
    project = createProject();
    symlinkSync(join(root, "node_modules/zod"), project.path("node_modules/zod"), "junction");
    for (const [, code = "", name = ""] of text.matchAll(/```ts\n(\/\/ (\S+\.ts)\n[\s\S]*?)```/g)) {
      project.write(name, code);
    }
  });

  afterAll(() => project.remove());

  it.each(shown)("shows what $command prints", ({ command, output }) => {
    const line = command.replace(/^npx proffer/, `'${process.execPath}' '${distFile("bin.js")}'`);
    const { stdout } = spawnSync("sh", ["-c", `${line} 2>&1`], {
      cwd: project.folder,
      encoding: "utf8",
      timeout: 120_000,
    });
    expect(stdout).toBe(output);
  });

  it("has modules that can be served, without a warning", () => {
    for (const [, name = ""] of text.matchAll(/```ts\n\/\/ (\S+\.ts)\n/g)) {
      const { status, stderr } = project.proffer("check", name);
      expect({ name, status, stderr }).toEqual({ name, status: 0, stderr: "" });
    }
  });
});
