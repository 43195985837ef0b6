import { spawnSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { SERVE_FLAGS } from "proffer/flags";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { distFile } from "../../proffer/test/dist.ts";
import { createProgram } from "../src/program.ts";
import { createProject, type Project } from "./project.ts";

const text = readFileSync(fileURLToPath(new URL("../../../docs/cli.md", import.meta.url)), "utf8");

/** The commands of the page with their output. */
const shown = [...text.matchAll(/```console\n([\s\S]*?)```/g)]
  .flatMap(([, block = ""]) => block.split(/^\$ /m).slice(1))
  .map((run) => {
    const [command = "", ...output] = run.split("\n");
    return { command, output: output.join("\n") };
  });

let project: Project;

beforeAll(() => {
  project = createProject();
  project.write("tools.ts", /```ts\n([\s\S]*?)```/.exec(text)?.[1] ?? "");
});

afterAll(() => project.remove());

describe("docs/cli.md", () => {
  it.each(shown)("shows the output of $command", ({ command, output }) => {
    const line = command.replace(/^proffer/, `'${process.execPath}' '${distFile("bin.js")}'`);
    const { stdout } = spawnSync("sh", ["-c", line], { cwd: project.folder, encoding: "utf8", timeout: 600_000 });
    expect(stdout).toBe(output);
  });

  it.each([
    ["`--timeout`", "limits.ts", "DEFAULT_TIMEOUT"],
    ["`--max-bytes`", "limits.ts", "DEFAULT_MAX_BYTES"],
    ["entries of one list", "client.ts", "MAX_ITEMS"],
    ["pages of one list", "client.ts", "MAX_PAGES"],
    ["rounds of questions", "task.ts", "MAX_ROUNDS"],
    ["fields of a form", "question-form.ts", "MAX_FIELDS"],
    ["items of one message", "link.ts", "MAX_ITEMS"],
    ["nesting levels", "link.ts", "MAX_DEPTH"],
  ])("has the limit of the code for %s", (name, file, constant) => {
    const folder = existsSync(new URL(`../src/client/${file}`, import.meta.url)) ? ".." : "../../proffer";
    const source = readFileSync(new URL(`${folder}/src/client/${file}`, import.meta.url), "utf8");
    const [, factors = ""] = new RegExp(`const ${constant} = ([\\d_ *]+);`).exec(source) ?? [];
    const value = factors.split("*").reduce((product, factor) => product * Number(factor.replaceAll("_", "")), 1);
    const row = text.split("\n").find((line) => line.startsWith(`| ${name}`));
    expect(row).toMatch(new RegExp(` \\| ${value.toLocaleString("en-US")} \\|$`));
  });

  it.each(SERVE_FLAGS)("documents the flag $name with its variable", ({ name, ...flag }) => {
    const row = text.split("\n").find((line) => line.startsWith(`| \`${name}`));
    expect(row).toContain("variable" in flag ? `| \`${flag.variable}\` |` : "| |");
  });

  it.each(createProgram().commands.map((command) => [command.name(), command] as const))(
    "documents the command %s and each of its options",
    (name, command) => {
      expect(text).toMatch(new RegExp(`^## proffer (\\w+, )*${name}\\b`, "m"));
      const options = command.createHelp().visibleOptions(command);
      for (const { long } of options) if (long !== "--help") expect(text).toContain(long);
    },
  );
});
