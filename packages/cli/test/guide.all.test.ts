import { spawnSync } from "node:child_process";
import { readFileSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { distFile } from "../../proffer/test/dist.ts";
import { createProject, type Project } from "./project.ts";

// A page names its files in their first line (`// tools.ts`). Each command of the page must print the shown output.

const root = fileURLToPath(new URL("../../../", import.meta.url));

interface Shown {
  readonly command: string;
  readonly output: string;
}

/** Returns the commands whose output follows on the next lines. */
function runsIn(text: string): Shown[] {
  return [...text.matchAll(/```console\n([\s\S]*?)```/g)]
    .flatMap(([, block = ""]) => block.split(/^\$ /m).slice(1))
    .map((run) => {
      const [command = "", ...output] = run.split("\n");
      return { command, output: output.join("\n") };
    });
}

/** Returns the commands whose output is in a comment on the same line. */
function remarksIn(text: string): Shown[] {
  const lines = text.matchAll(/^(npx proffer (?:call|read) .*?) +# (.*)$/gm);
  return [...lines].map(([, command = "", output]) => ({ command, output: `${output}\n` }));
}

describe.each(["README.md", "docs/start.md", "packages/proffer/README.md"])("%s", (page) => {
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

  it.each(shown)("shows the output of $command", ({ command, output }) => {
    const line = command.replace(/^npx proffer/, `'${process.execPath}' '${distFile("bin.js")}'`);
    const { stdout } = spawnSync("sh", ["-c", `${line} 2>&1`], {
      cwd: project.folder,
      encoding: "utf8",
      timeout: 600_000,
    });
    expect(stdout).toBe(output);
  });

  it("has only modules that can be served without a warning", async () => {
    for (const [, name = ""] of text.matchAll(/```ts\n\/\/ (\S+\.ts)\n/g)) {
      const { status, stderr } = await project.proffer("check", name);
      expect({ name, status, stderr }).toEqual({ name, status: 0, stderr: "" });
    }
  });
});
