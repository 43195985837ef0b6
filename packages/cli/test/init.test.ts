import { spawnSync } from "node:child_process";
import { afterAll, beforeAll, expect, it } from "vitest";
import { createProject, type Project } from "./project.ts";

let project: Project;

beforeAll(async () => {
  project = createProject();
  expect((await project.proffer("init", "dice", "--no-install")).status).toBe(0);
});

afterAll(() => project.remove());

it("proffer init creates a project whose tests pass", () => {
  const { scripts } = JSON.parse(project.read("dice/package.json"));
  const [command, ...words] = scripts.test.split(" ");
  expect(command).toBe("node");
  const { status, stdout } = spawnSync(process.execPath, words, { cwd: project.path("dice"), encoding: "utf8" });
  expect({ status, stdout }).toMatchObject({ status: 0, stdout: expect.stringContaining("# pass 4") });
});

it("proffer init overwrites nothing", async () => {
  project.write("dice/tools.ts", "// mine");
  const { status, stderr } = await project.proffer("init", "dice", "--no-install");
  expect(status).toBe(1);
  expect(stderr).toContain("Nothing was written");
  expect(project.read("dice/tools.ts")).toBe("// mine\n");
});

it("proffer doctor reports nothing for a good module", async () => {
  project.write(
    "good.mjs",
    "/**",
    " * Says a word aloud.",
    " * @param {string} word - what to say",
    " */",
    "export const say = (word) => word;",
  );
  const { status, stdout } = await project.proffer("doctor", "good.mjs");
  expect(status).toBe(0);
  // On a busy machine, the server may be slow to respond.
  expect(stdout.replace(/^! The server responds \d+ ms after its start\.\n.*\n/m, "")).not.toMatch(/[!✗]/);
});

it("proffer doctor reports common mistakes", async () => {
  project.write(
    "bad.ts",
    'import { spawn } from "node:child_process";',
    'console.log("loaded");',
    'spawn("echo", ["from a child"], { stdio: "inherit" });',
    "interface Tree { children: Tree[] }",
    "export function grow(tree: Tree, times = 3): void {}",
    `/** ${"Long. ".repeat(400)} */`,
    `export function ${"long".repeat(16)}(): void {}`,
  );
  const { status, stdout } = await project.proffer("doctor", "bad.ts", "--json");
  expect(status).toBe(1);
  const messages = JSON.parse(stdout).map(
    ({ level, message }: { level: string; message: string }) => `${level} ${message}`,
  );
  for (const expected of [
    'warning The module prints to stdout while it loads: "loaded',
    'error The server writes more than protocol messages to stdout: "from a child"',
    "warning grow has no description.",
    "warning The parameter 'times' of 'grow' has no description.",
    `warning Tool ${"long".repeat(16)}: Cursor omits the name sample${"long".repeat(16)}, which has more than 60 characters.`,
  ]) {
    expect(messages).toContainEqual(expect.stringContaining(expected));
  }
});

interface Finding {
  readonly level: string;
  readonly code?: string;
  readonly message: string;
}

it("proffer doctor shows the losses of each client, and all about those that are chosen", async () => {
  const long = "long".repeat(16);
  project.write(
    "odd.ts",
    "interface Tree { children: Tree[] }",
    "/** Grows. @param tree - the tree */",
    "export function grow(tree: Tree): void {}",
    `/** ${"Long. ".repeat(400)} */`,
    `export function ${long}(): void {}`,
  );
  const { status, stdout } = await project.proffer("doctor", "odd.ts");
  expect(status).toBe(0);
  const table = stdout.slice(stdout.indexOf("Tools that a client"));
  expect(table).toMatch(/^Tools that a client +refuses +omits +cuts +drops +risks\n/);
  expect(table).toMatch(/\n {2}Claude Code +– +– +1 +– +–\n/);
  expect(table).toMatch(/\n {2}Cursor +– +1 +– +– +–\n/);
  const chosen = JSON.parse(
    (await project.proffer("doctor", "odd.ts", "--client", "gemini-cli,claude-code", "--json")).stdout,
  );
  // Findings about texts have a code.
  const warnings = chosen.filter(({ level, code }: Finding) => level === "warning" && code === undefined);
  expect(warnings.map(({ message }: Finding) => message)).toEqual([
    "Tool grow: Gemini CLI drops references, which stay unresolved.",
    `Tool ${long}: Gemini CLI cuts the name to mcp_sample_${"long".repeat(5).slice(0, 19)}...${long.slice(-30)}.`,
    `Tool ${long}: Claude Code cuts the description after 2048 characters.`,
  ]);
  const wrong = await project.proffer("doctor", "odd.ts", "--client", "codex,netscape");
  expect(wrong.status).toBe(2);
  expect(wrong.stderr).toContain('Unknown client "netscape" in --client. Known clients: claude-code, claude, codex,');
});

it("proffer list shows the view of the model of a client", async () => {
  project.write(
    "seen.ts",
    "/**",
    " * Adds.",
    " * @param n - how many. @integer @minimum 1 @maximum 9",
    " */",
    "export function add(n: number): number { return n; }",
    "/** A note. @resource notes://{id} */",
    "export const note = (id: string) => id;",
  );
  const codex = JSON.parse((await project.proffer("list", "seen.ts", "--as", "codex", "--json")).stdout);
  expect(codex.tools).toMatchObject([{ name: "mcp__sample__add" }]);
  expect(codex.tools[0].inputSchema.properties).toEqual({
    n: { type: "integer", description: "how many. 1 to 9." },
  });
  const zed = await project.proffer("list", "seen.ts", "--as", "zed");
  // Its model cannot read resources, so they are tools.
  expect(zed.stdout).toMatch(/^Tools\n {2}add\(n\) +Adds\.\n {2}note\(id\) +A note\.\n$/);
  expect(zed.stderr).toContain("The model cannot read resources");
  expect((await project.proffer("list", "seen.ts", "--as", "netscape")).status).toBe(2);
});

it("proffer doctor reports why a module does not start", async () => {
  project.write("throws.mjs", "/** Says. */", "export const say = () => 1;", 'throw new Error("no key");');
  let stdout = "";
  const examine = async () => {
    stdout = (await project.proffer("doctor", "throws.mjs")).stdout;
    return stdout;
  };
  // The server answers before it imports the module: on a busy machine, doctor may not see its end.
  await expect.poll(examine).toContain("✗ The server does not start, or exits immediately.");
  expect(stdout).toContain("no key");
});
