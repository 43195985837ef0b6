import { spawnSync } from "node:child_process";
import { afterAll, beforeAll, expect, it } from "vitest";
import { createProject, type Project } from "./project.ts";

let project: Project;

beforeAll(() => {
  project = createProject();
  expect(project.proffer("init", "dice", "--no-install").status).toBe(0);
});

afterAll(() => project.remove());

it("proffer init creates a project whose tests pass", () => {
  const { status, stdout } = spawnSync(process.execPath, ["--test"], { cwd: project.path("dice"), encoding: "utf8" });
  expect({ status, stdout }).toMatchObject({ status: 0, stdout: expect.stringContaining("# pass 4") });
});

it("proffer init overwrites nothing", () => {
  project.write("dice/tools.ts", "// mine");
  const { status, stderr } = project.proffer("init", "dice", "--no-install");
  expect(status).toBe(1);
  expect(stderr).toContain("Nothing was written");
  expect(project.read("dice/tools.ts")).toBe("// mine\n");
});

it("proffer doctor reports nothing for a good module", () => {
  project.write(
    "good.mjs",
    "/**",
    " * Says.",
    " * @param {string} word - what to say",
    " */",
    "export const say = (word) => word;",
  );
  const { status, stdout } = project.proffer("doctor", "good.mjs");
  expect(status).toBe(0);
  expect(stdout).not.toMatch(/[!✗]/);
});

it("proffer doctor reports common mistakes", () => {
  project.write(
    "bad.ts",
    'import { spawn } from "node:child_process";',
    'console.log("loaded");',
    'spawn("echo", ["from a child"], { stdio: "inherit" });',
    "interface Tree { children: Tree[] }",
    "export function grow(tree: Tree): void {}",
    `/** ${"Long. ".repeat(200)} */`,
    "export function long(): void {}",
  );
  const { status, stdout } = project.proffer("doctor", "bad.ts", "--json");
  expect(status).toBe(1);
  const messages = JSON.parse(stdout).map(
    ({ level, message }: { level: string; message: string }) => `${level} ${message}`,
  );
  for (const expected of [
    'warning The module prints to stdout while it loads: "loaded',
    'error The server writes more than protocol messages to stdout: "from a child"',
    "warning grow has no description.",
    "warning The input of grow has $defs",
    "warning The description of long has",
  ]) {
    expect(messages).toContainEqual(expect.stringContaining(expected));
  }
});

it("proffer doctor reports why a module does not start", () => {
  project.write("throws.mjs", "/** Says. */", "export const say = () => 1;", 'throw new Error("no key");');
  const { status, stdout } = project.proffer("doctor", "throws.mjs");
  expect(status).toBe(1);
  expect(stdout).toContain("✗ The server does not start, or exits immediately.");
  expect(stdout).toContain("no key");
});
