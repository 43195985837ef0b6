import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, expect, it } from "vitest";
import { findObstacle } from "../../src/lab/enclosure.ts";
import { checkCached, treeDigest } from "../../src/lab/program-cache.ts";
import type { Program } from "../../src/lab/programs.ts";
import { type Report, reportRun } from "../../src/lab/report.ts";
import { type RunOptions, runClient } from "../../src/lab/run.ts";
import { withShell } from "../../src/terminal/shell.ts";
import { createProject, type Project } from "../project.ts";

const client = fileURLToPath(new URL("./fake-client.mjs", import.meta.url));
const isEnclosed = findObstacle() === undefined;
let project: Project;

beforeAll(() => {
  project = createProject();
  project.write(
    "shop.mjs",
    'import { defineServer, defineTool } from "proffer";',
    'import { serveStdio } from "proffer/stdio";',
    'const input = { type: "object", properties: { n: { type: "integer", minimum: 1 } }, required: ["n"] };',
    "const tools = [",
    '  defineTool({ name: "add", description: "Adds one.", input, handle: ({ n }) => n + 1 }),',
    '  defineTool({ name: "a_tool_with_a_rather_long_name", description: "Says hello.", handle: () => "Hello." }),',
    "];",
    'serveStdio(defineServer({ name: "shop", version: "1.0.0", instructions: "Add first.", tools }));',
  );
});

afterAll(() => project.remove());

function fake(misbehavior = "", detail = ""): Program {
  return {
    id: "fake",
    title: "Fake",
    version: "1.0.0",
    pins: {},
    executable: "fake.mjs",
    isScript: true,
    terms: "none",
    canAnswer: false,
    start: ({ folder, model, server }) => ({
      files: { "config.json": { model, ...server } },
      args: [join(folder, "config.json"), misbehavior, detail],
    }),
  };
}

async function tryFake(program: Program, options: Partial<RunOptions> = {}): Promise<Report> {
  const run = await runClient(program, client, {
    name: "fake",
    server: { command: [process.execPath, project.path("shop.mjs")] },
    calls: [{ tool: "add", arguments: { n: 41 } }],
    timeout: 60,
    signal: new AbortController().signal,
    ...options,
  });
  return reportRun(program, "fake", run);
}

it("reports what reached the model and the server", async () => {
  const long = "a_tool_with_a_rather_long_name";
  const calls = [
    { tool: "add", arguments: { n: 41 } },
    { tool: long, arguments: {} },
  ];
  const report = await tryFake(fake(), { calls });
  expect(report).toMatchObject({
    problems: [],
    revision: "2025-06-18",
    transport: "stdio",
    declared: { name: "fake", version: "1.0.0", capabilities: {} },
    instructions: { text: "Add first.", reached: "whole" },
    tools: [
      { tool: "add", shown: { name: "fake__add" }, changes: ["drops /properties/n/minimum"] },
      { tool: long, shown: { name: "fake__a_tool_with_a_rather_lon" }, changes: [] },
    ],
    calls: [
      { tool: "add", shown: "fake__add", reachedServer: true, losses: [], seen: [{ content: [{ text: "42" }] }] },
      { tool: long, reachedServer: true, losses: [], seen: [{ content: [{ text: "Hello." }] }] },
    ],
  });
  expect(report.network === undefined).toBe(isEnclosed);
});

it("reports a call that did not reach the server, and a result that did not reach the model", async () => {
  expect((await tryFake(fake("refuses calls"))).problems).toEqual(["The call of add did not reach the server."]);
  expect((await tryFake(fake("keeps results"))).problems).toEqual(["The result of add did not reach the model."]);
});

it("reports a call of a tool that the server does not have", async () => {
  const { problems } = await tryFake(fake(), { calls: [{ tool: "subtract", arguments: {} }] });
  expect(problems).toEqual(["The server has listed no tool subtract."]);
});

it("ends a client that hangs, with everything that it has started", async () => {
  const marker = `marker-${process.pid}-${Date.now()}`;
  const { problems } = await tryFake(fake("hangs", marker), { timeout: 2 });
  expect(problems[0]).toBe("Fake did not end in time, and was ended.");
  if (process.platform === "linux") await expect.poll(() => commandsWith(marker)).toEqual([]);
});

/** The processes of this machine whose arguments have a text. */
function commandsWith(marker: string): string[] {
  return readdirSync("/proc").filter((id) => {
    try {
      return /^\d+$/.test(id) && readFileSync(`/proc/${id}/cmdline`, "utf8").includes(marker);
    } catch {
      return false;
    }
  });
}

it("ends a client when the command is interrupted", async () => {
  const controller = new AbortController();
  setTimeout(() => controller.abort(), 500);
  const { problems } = await tryFake(fake("hangs"), { signal: controller.signal });
  expect(problems[0]).toBe("Fake did not end in time, and was ended.");
});

it("reports a client that dies, ignores its configuration, or asks for a login", async () => {
  const unused = ["Fake did not connect to the server.", "Fake did not ask its model."];
  const died = await tryFake(fake("dies"));
  expect(died.problems.slice(0, 3)).toEqual(["Fake ended with exit code 128.", ...unused]);
  expect(died.output).toContain("The client was ended by SIGKILL.");
  expect((await tryFake(fake("ignores its configuration"))).problems.slice(0, 2)).toEqual(unused);
  expect((await tryFake(fake("asks for a login"))).output).toContain("Please log in.");
});

it("gives a client an environment of its own", async () => {
  process.env.SECRET_OF_THE_CALLER = "hidden";
  const { output = "" } = await tryFake(fake("prints"));
  delete process.env.SECRET_OF_THE_CALLER;
  const { env, cwd } = JSON.parse(output.split("\n").find((line) => line.startsWith("{")) ?? "{}");
  expect(output).not.toContain("hidden");
  expect(env.HOME).toBe(join(cwd, "../home"));
  expect(existsSync(cwd)).toBe(false);
});

it.skipIf(!isEnclosed)("keeps a client from other files and other ports of the machine", async () => {
  const place = mkdtempSync(join(tmpdir(), "proffer-outside-"));
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  try {
    const { output: written } = await tryFake(fake("writes", [join(place, "x"), `${client}.new`].join(",")));
    expect(written).toContain("EROFS\nEROFS");
    expect(readdirSync(place)).toEqual([]);
    const { port } = server.address() as { port: number };
    expect((await tryFake(fake("connects", String(port)))).output).toContain("ECONNREFUSED");
  } finally {
    server.close();
    rmSync(place, { recursive: true });
  }
});

it("reports a server that never answers, and one that cannot be started", async () => {
  const silent = { command: [process.execPath, "-e", "process.stdin.resume()"] };
  const { problems } = await tryFake(fake(), { server: silent, timeout: 2 });
  expect(problems.slice(0, 2)).toEqual(["Fake did not end in time, and was ended.", "The server did not answer."]);
  const missing = await tryFake(fake(), { server: { command: ["/nowhere/server"] }, timeout: 10 });
  expect(missing.output).toContain("/nowhere/server");
});

it("runs two clients at the same time", async () => {
  const one = tryFake(fake());
  const two = tryFake(fake(), { calls: [{ tool: "add", arguments: { n: 1 } }] });
  const [first, second] = await Promise.all([one, two]);
  expect(first?.calls[0]?.seen).toMatchObject([{ content: [{ text: "42" }] }]);
  expect(second?.calls[0]?.seen).toMatchObject([{ content: [{ text: "2" }] }]);
});

it("does not start a program that was changed", async () => {
  const home = mkdtempSync(join(tmpdir(), "proffer-cache-"));
  try {
    await withShell({ env: { XDG_CACHE_HOME: home } }, async () => {
      const folder = join(home, "proffer/programs/fake@1.0.0/package");
      mkdirSync(folder, { recursive: true, mode: 0o700 });
      writeFileSync(join(folder, "fake.mjs"), "");
      const pin = { name: "fake", version: "1.0.0", integrity: "", tree: treeDigest(folder) };
      expect(checkCached(pin, "fake.mjs")).toBe(folder);
      writeFileSync(join(folder, "fake.mjs"), "changed");
      expect(() => checkCached(pin, "fake.mjs")).toThrow("was changed since it was downloaded, and is not started");
    });
  } finally {
    rmSync(home, { recursive: true });
  }
});

it("refuses what it cannot do before it starts anything", async () => {
  const env = { XDG_CACHE_HOME: project.path("cache") };
  const run = async (...args: string[]) => (await project.profferWith({ env }, "try", "shop.mjs", ...args)).stderr;
  expect(await run("--with", "netscape")).toContain('The client "netscape" cannot be started. Use one of claude-code,');
  expect(await run("--with", "codex", "--call", "add n=1")).toContain('Write --call \'tool {"name":"value"}\'.');
  expect(await run("--with", "codex", "--timeout", "soon")).toContain('Invalid value of --timeout: "soon".');
  const refused = isEnclosed ? "If you accept its terms, add --accept-terms." : "Add --allow-network";
  expect(await run("--with", "gemini-cli")).toContain(refused);
});
