import { spawn } from "node:child_process";
import { pathToFileURL } from "node:url";
import { afterAll, describe, expect, it } from "vitest";
import { distFile } from "./dist.ts";
import { legacy, modern, post, postModern } from "./http/http-client.ts";
import { Program } from "./stdio-process.ts";

const started: Program[] = [];
afterAll(() => {
  for (const { child } of started) child.kill("SIGKILL");
});

const urlOf = (name: string) => JSON.stringify(pathToFileURL(distFile(name)).href);

/** Starts a process that serves a server with these hooks; `serve` is the code that serves it. */
function start(hooks: string, serve = "await serveStdio(server, { drainTimeout: 2000 });"): Program {
  const script = `
    import { defineServer, defineTool } from ${urlOf("index.js")};
    import { serveProcess, serveStdio } from ${urlOf("process.js")};
    const say = (text) => console.error("<" + text + ">");
    const wait = (ms) => new Promise((resolve) => setTimeout(resolve, ms));
    const until = (event) => new Promise((resolve) => process.once(event, resolve));
    let state = "done";
    const tools = [
      defineTool({ name: "t", handle: () => state }),
      defineTool({ name: "hang", handle: () => { say("called"); return new Promise(() => {}); } }),
      defineTool({ name: "slow", handle: async () => { say("called"); await until("SIGUSR2"); return "finished"; } }),
      defineTool({ name: "lose", handle: () => { void Promise.reject(new Error("lost in the background")); return "lost"; } }),
      defineTool({ name: "throw", handle: () => { setTimeout(() => { throw new Error("lost in the background"); }); return "lost"; } }),
    ];
    const server = defineServer({ name: "s", version: "1", tools, log: (entry) => say(entry.message), ${hooks} });
    ${serve}`;
  const program = new Program(spawn(process.execPath, ["--input-type=module", "--eval", script]));
  started.push(program);
  return program;
}

/** The texts that a process has written with `say`. */
function said({ stderr }: Program): string[] {
  return [...stderr.matchAll(/<(.*)>/g)].map(([, text = ""]) => text);
}

const HOOKS = 'onStart: () => say("start"), onStop: async () => { await wait(20); say("stopped"); }';

describe("over stdio", () => {
  it("calls wait for onStart, and lists do not", async () => {
    const program = start('onStart: async () => { await until("SIGUSR2"); state = "started"; }');
    const called = program.call(2, "t");
    expect(await program.request(1, "tools/list")).toMatchObject({
      result: { tools: [{ name: "t" }, {}, {}, {}, {}] },
    });
    program.child.kill("SIGUSR2");
    expect(await called).toBe("started");
  });

  it.each(["SIGTERM", "SIGINT", "end of input"])("onStop finishes on %s", async (reason) => {
    const program = start(HOOKS);
    expect(await program.call(1, "t")).toBe("done");
    if (reason === "end of input") program.child.stdin.end();
    else program.child.kill(reason as NodeJS.Signals);
    expect(await program.exit).toEqual({ code: 0, signal: null });
    expect(said(program)).toEqual(["start", "stopped"]);
  });

  it("an onStart that throws ends the process with code 1, and calls are answered", async () => {
    const program = start('onStart: async () => { await until("SIGUSR2"); throw new Error("no database"); }');
    await program.request(1, "tools/list");
    const called = program.request(2, "tools/call", { name: "t" });
    program.child.kill("SIGUSR2");
    expect(await called).toMatchObject({ error: { code: -31000 } });
    expect(await program.exit).toEqual({ code: 1, signal: null });
    expect(program.stderr).toContain('The server stops: onStart of server "s" failed: no database\n');
    expect(said(program)).toEqual(["onStart failed"]);
  });

  it("an onStart that hangs ends the process with code 1", async () => {
    const program = start("onStart: () => new Promise(() => {}), limits: { startTimeout: 20 }");
    expect(await program.exit).toEqual({ code: 1, signal: null });
    expect(program.stderr).toContain("It did not settle within 20 ms (limits.startTimeout)");
  });

  it("an onStart that exits leaves whole messages", async () => {
    const program = start('onStart: async () => { await until("SIGUSR2"); process.exit(3); }');
    await program.request(1, "tools/list");
    program.child.kill("SIGUSR2");
    expect(await program.exit).toEqual({ code: 3, signal: null });
    expect(program.lines.map((line) => JSON.parse(line).id)).toEqual([1]);
    expect(program.rest).toBe("");
  });

  it("an onStop that hangs is logged, and the process ends within the drain time", async () => {
    const program = start("onStop: () => new Promise(() => {})", "await serveStdio(server, { drainTimeout: 200 });");
    await program.call(1, "t");
    program.child.kill("SIGTERM");
    expect(await program.exit).toEqual({ code: 0, signal: null });
    expect(said(program)).toEqual(["onStop failed"]);
  });

  it("onStop runs also if a call hangs", async () => {
    const hooks = 'onStop: () => say("stopped")';
    const program = start(hooks, "await serveStdio(server, { drainTimeout: 500 });");
    program.send(legacy("tools/call", { name: "hang" }));
    await expect.poll(() => said(program)).toContain("called");
    program.child.kill("SIGTERM");
    expect(await program.exit).toEqual({ code: 0, signal: null });
    expect(said(program)).toEqual(["called", "stopped"]);
  });
});

const BOTH = "await serveProcess(server, { http: { port: 0 }, mounts: { '/b': server }, stdio: true });";

describe("over stdio and HTTP", () => {
  it.each(["SIGTERM", "end of input"])("both hooks run once on %s", async (reason) => {
    const program = start(HOOKS, BOTH);
    expect(await program.call(1, "t")).toBe("done");
    const url = /http:\S+/.exec(program.stderr)?.[0] ?? "";
    expect((await post(url, legacy("initialize", { protocolVersion: "2025-11-25" }))).status).toBe(200);
    if (reason === "end of input") program.child.stdin.end();
    else program.child.kill("SIGTERM");
    expect(await program.exit).toEqual({ code: 0, signal: null });
    expect(said(program)).toEqual(["start", "stopped"]);
  });

  it("an onStart that throws is reported once", async () => {
    const program = start('onStart: () => { throw new Error("no database"); }', BOTH);
    expect(await program.exit).toEqual({ code: 1, signal: null });
    expect(program.stderr.match(/The server stops/g)).toHaveLength(1);
  });
});

describe("over HTTP", () => {
  const HTTP = "await serveProcess(server, { http: { port: 0 } });";

  it("onStop finishes on SIGTERM", async () => {
    const program = start(HOOKS, HTTP);
    await expect.poll(() => program.stderr).toMatch(/http:\S+/);
    await expect.poll(() => said(program)).toEqual(["start"]);
    program.child.kill("SIGTERM");
    expect(await program.exit).toEqual({ code: 0, signal: null });
    expect(said(program)).toEqual(["start", "stopped"]);
  });

  it.each(["lose", "throw"])("an exception in the background lets calls in flight finish: %s", async (name) => {
    const program = start(HOOKS, "await serveProcess(server, { http: { port: 0, health: true }, log: 'json' });");
    await expect.poll(() => program.stderr).toMatch(/http:\S+mcp/);
    const url = /http:\S+mcp/.exec(program.stderr)?.[0] ?? "";
    const call = (tool: string) => postModern(url, modern("tools/call", { name: tool, arguments: {} }));
    const slow = call("slow");
    await expect.poll(() => said(program)).toContain("called");
    await call(name);
    await expect.poll(async () => (await fetch(new URL("/readyz", url))).text()).toContain("draining");
    program.child.kill("SIGUSR2");
    expect((await slow).body).toContain("finished");
    expect(await program.exit).toEqual({ code: 1, signal: null });
    expect(said(program)).toContain("stopped");
    // With log: "json", nothing but the test's own lines is written that is not JSON.
    const entries = program.stderr.split("\n").filter((line) => line !== "" && !line.startsWith("<"));
    const parsed = entries.map((line) => JSON.parse(line));
    expect(parsed.filter(({ level }) => level === "error")).toEqual([
      expect.objectContaining({
        message: "An exception in the background; the server stops",
        error: expect.objectContaining({ message: "lost in the background" }),
      }),
    ]);
  });

  it("an onStart that throws ends the process with code 1", async () => {
    const program = start('onStart: () => { throw new Error("no database"); }', HTTP);
    expect(await program.exit).toEqual({ code: 1, signal: null });
    expect(program.stderr).toContain('The server stops: onStart of server "s" failed: no database\n');
  });
});
