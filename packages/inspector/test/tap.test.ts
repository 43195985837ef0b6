import type { ChildProcess } from "node:child_process";
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { existsSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { Client as OldClient } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport as OldStdio } from "@modelcontextprotocol/sdk/client/stdio.js";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { WireRecord } from "../../cli/src/recordings/record.ts";
import { readRecording } from "../../cli/src/recordings/recording.ts";
import { RecordingFile } from "../../cli/src/recordings/recording-file.ts";
import { createProject, type Project, waitForStderr } from "../../cli/test/project.ts";
import { openPage } from "./page-client.ts";

const SERVERS = fileURLToPath(new URL("tap-servers.mjs", import.meta.url));
const TARGET = { kind: "command", name: "node" } as const;
const REQUEST = '{"jsonrpc":"2.0","id":1,"method":"ping"}';
let project: Project;
let file: string;

beforeEach(() => {
  project = createProject();
  file = project.path("tap.jsonl");
});
afterEach(() => project.remove());

const server = (kind: string) => [process.execPath, SERVERS, kind, project.path("server.txt")];
const said = () => readFileSync(project.path("server.txt"), "utf8");

/** Starts a tap that records to `file`. */
function tap(...command: string[]): ChildProcess {
  return project.start("inspect", "--tap", "--record", file, "--", ...command);
}

/** All bytes of a stream. */
async function bytesOf(stream: NodeJS.ReadableStream | null): Promise<Buffer> {
  const parts: Buffer[] = [];
  for await (const chunk of stream ?? []) parts.push(chunk as Buffer);
  return Buffer.concat(parts);
}

async function recordedTexts(): Promise<string[]> {
  return (await readRecording(file)).messages.map(({ dir, text }) => `${dir} ${text}`);
}

describe("bytes pass unchanged", () => {
  test.each([
    ["binary garbage", randomBytes(1_000_000)],
    ["lines with CRLF, blank lines and an unfinished one", Buffer.from(`${REQUEST}\r\n\r\n\n${REQUEST}\nunfinished`)],
    ["a line of 20 MB", Buffer.from(`{"jsonrpc":"2.0","method":"${"é".repeat(10_000_000)}"}\n`)],
    ["nothing", Buffer.alloc(0)],
  ])("%s", async (_, bytes) => {
    const relayed = tap(...server("echo"));
    const output = bytesOf(relayed.stdout);
    relayed.stdin?.end(bytes);
    expect((await output).equals(bytes)).toBe(true);
    if (relayed.exitCode === null) await once(relayed, "exit");
    expect(relayed.exitCode).toBe(0);
  });

  test("also if they come in parts: the messages are recorded whole", async () => {
    const relayed = tap(...server("echo"));
    const output = bytesOf(relayed.stdout);
    const bytes = Buffer.from('{"jsonrpc":"2.0","method":"é"}\r\n\xff\n{"jsonrpc":"2.0","method":"b"}', "utf8");
    const broken = Buffer.concat([bytes, Buffer.from([0x0a, 0xff, 0x0a]), Buffer.from("cut off")]);
    for (const byte of broken) {
      relayed.stdin?.write(Buffer.from([byte]));
      await new Promise((resolve) => setImmediate(resolve));
    }
    relayed.stdin?.end();
    expect((await output).equals(broken)).toBe(true);
    const { messages, problems } = await readRecording(file);
    expect(problems).toEqual([]);
    const sent = messages.filter(({ dir }) => dir === "out");
    expect(sent.map(({ text }) => text)).toEqual([
      '{"jsonrpc":"2.0","method":"é"}\r',
      "\xff",
      '{"jsonrpc":"2.0","method":"b"}',
      "\ufffd",
      "cut off",
    ]);
    expect(sent.slice(3).map(({ kind, note }) => `${kind}: ${note}`)).toEqual([
      "malformed: not UTF-8",
      "malformed: the stream ended before the line feed",
    ]);
    expect(messages.filter(({ dir }) => dir === "in").map(({ text }) => text)).toEqual(sent.map(({ text }) => text));
  });

  test("as slowly as the client reads", async () => {
    const relayed = tap(...server("flood"));
    let last = "";
    await expect
      .poll(
        () => {
          const before = last;
          last = existsSync(project.path("server.txt")) ? said() : "";
          return last !== "" && last === before;
        },
        { interval: 500 },
      )
      .toBe(true);
    expect(Number(last)).toBeLessThan(12 * 1024 * 1024);
    const output = bytesOf(relayed.stdout);
    relayed.stdin?.end();
    expect((await output).length).toBe(24 * 1024 * 1024);
  });

  test("as slowly as the server reads, and signals pass too", async () => {
    const relayed = tap(...server("late"));
    await waitForStderr(relayed, /waiting/);
    const size = 8 * 1024 * 1024;
    relayed.stdin?.end(Buffer.alloc(size));
    const output = bytesOf(relayed.stdout);
    expect(relayed.stdin?.writableLength).toBeGreaterThan(0);
    relayed.kill("SIGUSR2");
    expect(String(await output)).toBe(String(size));
  });
});

describe("the end", () => {
  const exited = (relayed: ChildProcess) => once(relayed, "exit");

  test("of a server passes on its exit code, its output on stderr, and an unfinished line", async () => {
    const relayed = tap(...server("exit"));
    const [output, errors, [code]] = await Promise.all([
      bytesOf(relayed.stdout),
      bytesOf(relayed.stderr),
      exited(relayed),
    ]);
    expect(code).toBe(7);
    expect(String(output)).toBe('{"jsonrpc":"2.0","id":1,"res');
    expect(errors.includes(Buffer.from("\u001b[31mbye\u0000\xff\n", "latin1"))).toBe(true);
    expect(errors.toString()).toContain(`Recording to ${file}`);
    expect((await readRecording(file)).messages).toMatchObject([{ dir: "in", kind: "malformed" }]);
  });

  test("by a signal passes on the signal", async () => {
    const relayed = tap(...server("crash"));
    const output = bytesOf(relayed.stdout);
    expect(await exited(relayed)).toEqual([null, "SIGKILL"]);
    expect(String(await output)).toBe("half a line");
  });

  test.each([
    ["term", [9, null]],
    ["wait", [null, "SIGTERM"]],
  ])("by SIGTERM is the server's own: %s", async (kind, end) => {
    const relayed = tap(...server(kind));
    await once(relayed.stdout as NodeJS.ReadableStream, "data");
    relayed.kill("SIGTERM");
    expect(await exited(relayed)).toEqual(end);
  });

  test("of a client in the middle of a message ends the server", async () => {
    const relayed = tap(...server("echo"));
    const ended = exited(relayed);
    relayed.stdin?.write(`${REQUEST}\n`);
    await once(relayed.stdout as NodeJS.ReadableStream, "data");
    relayed.stdout?.destroy();
    relayed.stdin?.write('{"half');
    relayed.stdin?.destroy();
    await ended;
    await expect.poll(() => existsSync(project.path("server.txt"))).toBe(true);
    // The server may have returned the rest before it saw that nobody reads it.
    expect((await recordedTexts()).slice(0, 3)).toEqual([`out ${REQUEST}`, `in ${REQUEST}`, 'out {"half']);
  });

  test("of the tap itself loses no message", async () => {
    const relayed = tap(...server("echo"));
    relayed.stdin?.write(`${REQUEST}\n`);
    await expect.poll(() => existsSync(file) && readFileSync(file, "utf8")).toContain('"dir":"in"');
    relayed.kill("SIGKILL");
    await exited(relayed);
    expect(await recordedTexts()).toEqual([`out ${REQUEST}`, `in ${REQUEST}`]);
    await expect.poll(() => existsSync(project.path("server.txt"))).toBe(true);
  });

  test("before the start is an error, with nothing on stdout", () => {
    const missing = project.profferProcess({}, "inspect", "--tap", "--", "no-such-command-anywhere");
    expect(missing).toMatchObject({ status: 1, stdout: "" });
    expect(missing.stderr).toContain("no-such-command-anywhere could not be started");
    expect(project.profferProcess({}, "inspect", "--tap")).toMatchObject({ status: 2, stdout: "" });
    expect(project.profferProcess({}, "inspect", "--tap", "tools.ts", "--", "node").stderr).toContain(
      "Unexpected argument",
    );
    expect(project.profferProcess({}, "inspect", "--record", file, "--", "node").stderr).toContain(
      "--record needs --tap",
    );
  });
});

describe("the recording", () => {
  const folder = () => project.path(".proffer/inspector");
  const run = (...flags: string[]) => project.profferProcess({}, "inspect", "--tap", ...flags, "--", ...server("echo"));
  const pathIn = (stderr: string) => /^Recording to (.*)$/m.exec(stderr)?.[1] ?? "";

  test("is private, in the project, and the newest twenty are kept", () => {
    const first = pathIn(run().stderr);
    expect(dirname(first)).toBe(folder());
    expect(statSync(first).mode & 0o777).toBe(0o600);
    for (let n = 0; n < 25; n++) writeFileSync(join(folder(), `tap-2020-01-${n + 10}.jsonl`), "");
    const last = pathIn(run().stderr);
    const kept = readdirSync(folder());
    expect(kept.filter((name) => name.startsWith("tap-"))).toHaveLength(20);
    for (const path of [first, last]) expect(existsSync(path)).toBe(true);
  });

  test("is in a private temporary folder without a project, or if the folder is not trusted", () => {
    rmSync(project.path("package.json"));
    const without = pathIn(run().stderr);
    expect(statSync(dirname(without)).mode & 0o777).toBe(0o700);
    project.write("package.json", "{}");
    project.write(".proffer", "a file where a folder should be");
    const refused = pathIn(run().stderr);
    expect(refused.startsWith(project.folder)).toBe(false);
    expect(existsSync(refused)).toBe(true);
    for (const path of [without, refused]) rmSync(dirname(path), { recursive: true });
  });

  test("never replaces a file", () => {
    project.write("tap.jsonl", "precious");
    expect(pathIn(run("--record", file).stderr)).toBe(project.path("tap-2.jsonl"));
    expect(readFileSync(file, "utf8")).toBe("precious\n");
    expect(run("--record", project.path("no/such/folder.jsonl"))).toMatchObject({ status: 1, stdout: "" });
  });

  test("stops at its limit and can still be opened", async () => {
    const problems: string[] = [];
    const record = new WireRecord();
    new RecordingFile(file, TARGET, (problem) => problems.push(problem), 1000).follow(record);
    const conn = record.newConn();
    for (let n = 0; n < 50; n++) record.add({ conn, dir: "out", text: REQUEST });
    expect(problems).toEqual([expect.stringContaining("stops here")]);
    expect(statSync(file).size).toBeLessThanOrEqual(1000);
    const { messages, problems: broken } = await readRecording(file);
    expect(messages.length).toBeGreaterThan(0);
    expect(broken).toEqual([]);
  });
});

describe("official clients and servers from npm", () => {
  const require = createRequire(import.meta.url);
  const main = (name: string) => join(dirname(require.resolve(`${name}/package.json`)), "dist/index.js");
  const PATIENT = { timeout: 600_000 };
  const launch = (command: readonly string[]) => ({
    command: process.execPath,
    args: [project.path("node_modules/proffer/dist/bin.js"), "inspect", "--tap", "--record", file, "--", ...command],
    env: { ...process.env, MEMORY_FILE_PATH: project.path("memory.json") } as Record<string, string>,
  });

  async function withOld(command: readonly string[], call: { name: string; arguments: Record<string, unknown> }) {
    const client = new OldClient({ name: "old-client", version: "1.32.2" });
    await client.connect(new OldStdio(launch(command)), PATIENT);
    await client.listTools(undefined, PATIENT);
    const result = await client.callTool(call, undefined, PATIENT);
    await client.close();
    return result;
  }

  async function withNew(command: readonly string[], call: { name: string; arguments: Record<string, unknown> }) {
    const client = new Client({ name: "new-client", version: "2.4.0" }, { versionNegotiation: { mode: "auto" } });
    await client.connect(new StdioClientTransport(launch(command)), PATIENT);
    await client.listTools(undefined, PATIENT);
    const result = await client.callTool(call, PATIENT);
    await client.close();
    return result;
  }

  const FILES = "@modelcontextprotocol/server-filesystem";
  const MEMORY = "@modelcontextprotocol/server-memory";

  test.each([
    ["1.32.2", FILES, withOld, "old-client"],
    ["2.4.0", FILES, withNew, "new-client"],
    ["1.32.2", MEMORY, withOld, "old-client"],
    ["2.4.0", MEMORY, withNew, "new-client"],
  ])("client %s and %s: the recording opens and replays", async (version, name, use, client) => {
    project.write("note.txt", "written by the test");
    const command = [process.execPath, main(name), ...(name === FILES ? [project.folder] : [])];
    const call =
      name === FILES
        ? { name: "read_text_file", arguments: { path: project.path("note.txt") } }
        : { name: "read_graph", arguments: {} };
    const result = await use(command, call);
    // The newer client starts the server a second time if it does not know the newest revision.
    const files = readdirSync(project.folder).filter((each) => /^tap.*\.jsonl$/.test(each));
    file = project.path(files.find((each) => project.read(each).includes('"tools/call"')) ?? "");
    const { header, messages, problems } = await readRecording(file);
    expect(problems).toEqual([]);
    expect(header.lanes).toMatchObject([{ role: "client", name: client, version, transport: "stdio" }]);
    const response = messages.find(({ dir, method }) => dir === "in" && method === "tools/call");
    expect(JSON.parse(response?.text ?? "{}").result.content).toEqual(result.content);
    expect(response?.revision).toMatch(/^\d{4}-\d\d-\d\d$/);
    const replayed = project.profferProcess({}, "replay", file, "--effects", "--", ...command);
    expect(replayed).toMatchObject({
      status: 0,
      stderr: expect.stringContaining("1 the same, 0 different, 0 skipped"),
    });
  });
});

test("the page shows the conversation live, read only", async () => {
  const flags = ["--record", file, "--port", "0"];
  const relayed = project.start("inspect", "--tap", ...flags, "--", ...server("echo"));
  const url = /http:\S+/.exec(await waitForStderr(relayed, /#k=\S+/))?.[0] ?? "";
  const page = await openPage(url);
  expect((await page.until("stderr")).text).toBe("echo is ready\n");
  const clientInfo = { name: "by hand", version: "3" };
  const params = { protocolVersion: "2025-11-25", capabilities: {}, clientInfo };
  relayed.stdin?.write(`${JSON.stringify({ jsonrpc: "2.0", id: 1, method: "initialize", params })}\n`);
  expect((await page.until("lane", ({ lane }) => lane.version === "3")).lane).toMatchObject({
    role: "client",
    name: "by hand",
  });
  await expect
    .poll(() => page.lines().map(({ dir, method }) => `${dir} ${method}`))
    .toEqual(["out initialize", "in initialize"]);
  const call = page.post("call", { revision: "2025-11-25", method: "tools/call", params: { name: "x" } });
  await expect(call).rejects.toThrow("not possible for this kind of target");
  await expect(page.post("reconnect", {})).rejects.toThrow("not possible");
  expect((await page.post("export", {})).text).toContain('"by hand"');
  relayed.stdin?.end();
  await once(relayed, "exit");
  page.close();
});

test("secrets of the environment are neither in the recording nor on the page", async () => {
  const secret = "tok/5f1e9c<77a2>";
  const env = { API_TOKEN: secret };
  const flags = ["--record", file, "--port", "0"];
  const relayed = project.startWith({ env }, "inspect", "--tap", ...flags, "--", ...server("echo"));
  const output = bytesOf(relayed.stdout);
  const url = /http:\S+/.exec(await waitForStderr(relayed, /#k=\S+/))?.[0] ?? "";
  const page = await openPage(url);
  await page.until("stderr", ({ text }) => text.includes("half ***"));
  const escaped = secret.replaceAll("/", "\\/").replace("<", "\\u003c");
  const line = `{"jsonrpc":"2.0","method":"notifications/x","params":["${secret}","${escaped}","${encodeURIComponent(secret)}"]}\n`;
  relayed.stdin?.write(line);
  await expect.poll(() => page.lines()).toHaveLength(2);
  relayed.stdin?.end();
  expect(String(await output)).toBe(line);
  expect((await recordedTexts())[0]).toContain('["***","***","***"]');
  expect(readFileSync(file, "utf8") + JSON.stringify(page.events)).not.toMatch(/5f1e|77a2/);
  page.close();
});
