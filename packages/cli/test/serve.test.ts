import { once } from "node:events";
import { rmSync } from "node:fs";
import { createInterface } from "node:readline";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createProject, type Project, waitForStderr } from "./project.ts";

let project: Project;

beforeAll(() => {
  project = createProject();
});

afterAll(() => project.remove());

const initialize = {
  jsonrpc: "2.0",
  id: 1,
  method: "initialize",
  params: { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: "test", version: "1" } },
};
const list = { jsonrpc: "2.0", id: 2, method: "tools/list" };

function call(id: number, name: string, input: object) {
  return { jsonrpc: "2.0", id, method: "tools/call", params: { name, arguments: input } };
}

interface Message {
  readonly id: number;
  // biome-ignore lint/suspicious/noExplicitAny: the tests check the shape of each answer.
  readonly [key: string]: any;
}

/** Serves a file to a client that sends requests, waits for all answers and closes stdin unless `stays` is set. */
async function serve(file: string, requests: object[] = [], { stays = false } = {}) {
  const child = project.start("serve", file);
  const ended = once(child, "close");
  let stderr = "";
  child.stderr?.setEncoding("utf8").on("data", (text: string) => {
    stderr += text;
  });
  const answers: Message[] = [];
  const messages = [initialize, ...requests];
  const lines = createInterface({ input: child.stdout as NodeJS.ReadableStream });
  lines.on("line", (line) => {
    answers.push(JSON.parse(line));
    if (answers.length === messages.length && !stays) child.stdin?.end();
  });
  child.stdin?.write(messages.map((message) => `${JSON.stringify(message)}\n`).join(""));
  const [status] = await ended;
  return { status, stderr, answers: answers.sort((a, b) => a.id - b.id) };
}

describe("proffer serve", () => {
  it("serves the default-exported server of a module, and redirects the module's output to stderr", async () => {
    project.write("names.ts", 'export const name = "own" satisfies string;');
    project.write(
      "server.ts",
      'import { defineServer } from "proffer";',
      'import { name } from "./names.js";',
      'console.log("from console");',
      "setInterval(() => {}, 1000);",
      'export default defineServer({ name, version: "1.0.0" });',
    );
    const { status, answers, stderr } = await serve("server.ts");
    expect(answers[0]?.result.serverInfo.name).toBe("own");
    expect(stderr).toContain("from console");
    expect(status).toBe(0);
  });

  it("serves the functions of a plain module, with warnings, also from the cache", async () => {
    project.write(
      "tools.ts",
      "/** Adds. */",
      "export function add(a: number, b = 1): number { return a + b; }",
      "export function next(day: Date): Date { return new Date(day.getTime() + 86_400_000); }",
    );
    const requests = [list, call(3, "add", { a: 41 }), call(4, "next", { day: "2024-02-28T00:00:00Z" })];
    const first = await serve("tools.ts", requests);
    expect(first.stderr).toMatch(/^tools\.ts:3:17 warning PF2001/);
    expect(first.answers[0]?.result.serverInfo).toEqual({ name: "sample", version: "1.2.3" });
    expect(first.answers[1]?.result.tools).toHaveLength(2);
    expect(first.answers[2]?.result.structuredContent).toEqual({ result: 42 });
    expect(first.answers[3]?.result.structuredContent).toEqual({ result: "2024-02-29T00:00:00.000Z" });
    expect(await serve("tools.ts", requests)).toEqual(first);
  });

  it("answers lists before the module is imported, and fails calls with -32603 if the import fails", async () => {
    project.write(
      "fails.ts",
      "await new Promise((resolve) => setTimeout(resolve, 300));",
      'if (Date.now() > 0) throw new Error("no database");',
      "/** Never works. */",
      "export const never = () => 1;",
      "declare function setTimeout(then: (value: unknown) => void, time: number): void;",
    );
    const { status, answers, stderr } = await serve("fails.ts", [list, call(3, "never", {})], { stays: true });
    expect(answers[1]?.result.tools).toHaveLength(1);
    expect(answers[2]?.error.code).toBe(-32603);
    expect(stderr).toContain("Error: no database");
    expect(stderr).toMatch(/fails\.ts:2:\d+/);
    expect(status).toBe(1);
  });

  it("serves from memory, with a warning, if the cache cannot be written", async () => {
    project.write("blocked/package.json", '{ "name": "blocked", "version": "1.0.0", "type": "module" }');
    project.write("blocked/.proffer", "A file is in the way of the folder.");
    project.write("blocked/part.ts", "export const part: string = import.meta.url;");
    project.write(
      "blocked/tools.ts",
      'import { part } from "./part.ts";',
      "/** Says where it is. */",
      "export const say = () => part;",
    );
    const { answers, stderr } = await serve("blocked/tools.ts", [call(2, "say", {})]);
    expect(stderr).toContain("cannot be written");
    expect(answers[1]?.result.content[0].text).toMatch(/blocked\/part\.ts$/);
    rmSync(project.path("blocked"), { recursive: true });
  });

  it("serves several modules at separate paths on one port", async () => {
    project.write("one.ts", "/** Says one. */", 'export const one = () => "1";');
    project.write(
      "two.ts",
      'import { defineServer, defineTool } from "proffer";',
      'const two = defineTool({ name: "two", handle: () => "2" });',
      'export default defineServer({ name: "second", version: "2.0.0", tools: [two] });',
    );
    const args = ["--mount", "/two=two.ts", "--mount", "/a/third=one.ts"];
    const child = project.start("serve", "one.ts", "--http", "0", "--path", "/one", ...args);
    const said = await waitForStderr(child, /\/one\n.*\/two\n.*\/a\/third\n/);
    const urls = [...said.matchAll(/Listening at (\S+)/g)].map(([, url = ""]) => url);
    const calls = urls.map((url, index) => project.proffer("call", url, index === 1 ? "two" : "one"));
    const answers = (await Promise.all(calls)).map(({ stdout }) => stdout);
    expect(answers).toEqual(["1\n", "2\n", "1\n"]);
    child.kill("SIGTERM");
    expect(await once(child, "close")).toEqual([0, null]);
  });

  it("rejects two modules at the same path", async () => {
    project.write("one.ts", "/** Says one. */", 'export const one = () => "1";');
    const { status, stderr } = project.profferProcess({}, "serve", "one.ts", "--http", "0", "--mount", "/mcp=one.ts");
    expect(status).toBe(1);
    expect(stderr).toContain("Two servers have the path /mcp");
  });
});

describe("proffer serve exits with 1, keeps stdout empty and", () => {
  it.each([
    [
      "names a file that does not exist",
      "absent.ts",
      [],
      /absent\.ts does not exist.*relative to the current directory/,
    ],
    ["rejects a folder that is not a build", "node_modules", [], /node_modules is not a file/],
    ["rejects a file that is not a module", "server.py", ["pass"], /Name a TypeScript or JavaScript file/],
    ["reports a module without exports", "nothing.ts", ["const a = 1;"], /nothing\.ts:1:1 error PF1002/],
  ])("%s", async (_, file, lines, message) => {
    if (lines.length > 0) project.write(file, ...lines);
    const { status, stdout, stderr } = project.profferProcess({}, "serve", file);
    expect({ status, stdout }).toEqual({ status: 1, stdout: "" });
    expect(stderr).toMatch(message);
  });
});

describe("the command line", () => {
  it.each([
    [[]],
    [["srve"]],
    [["serve", "a.ts", "b.ts"]],
    [["serve", "a.ts", "--http", "many"]],
    [["serve", "a.ts", "--port", "many"]],
    [["serve", "a.ts", "--http", "3000", "--port", "3001"]],
    [["serve", "a.ts", "--host", "::1"]],
    [["serve", "a.ts", "--mount", "/b=b.ts"]],
    [["serve", "a.ts", "--http", "0", "--mount", "b.ts"]],
    [["serve", "a.ts", "--http", "0", "--mount", "/b=b.ts", "--mount", "/b=c.ts"]],
    [["call", "a.ts"]],
    [["call", "a", "--arg", "b", "--", "node"]],
    [["call", "a.ts", "b", "--input", "[]"]],
    [["install", "a.ts", "--client", "notepad"]],
    [["install", "a.ts", "--client", "windsurf", "--project"]],
  ])("exits with 2 for %j", async (args) => {
    const { status, stdout } = await project.proffer(...args);
    expect({ status, stdout }).toEqual({ status: 2, stdout: "" });
  });

  it("does not take over a process that it was called in", async () => {
    const { status, stderr } = await project.proffer("serve", "a.ts");
    expect({ status, stderr }).toEqual({
      status: 1,
      stderr: "error: This command takes over its process. Start it in a separate process.\n",
    });
  });

  it("prints its help to stdout, without colors if stdout is not a terminal", async () => {
    const { status, stdout, stderr } = await project.proffer("call", "--help");
    expect({ status, stderr }).toEqual({ status: 0, stderr: "" });
    expect(stdout).toContain("Examples:\n  proffer call tools.ts");
    expect(stdout).not.toContain("\u001b");
  });
});
