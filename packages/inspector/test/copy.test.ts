import { execFile, spawnSync } from "node:child_process";
import { symlinkSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { promisify } from "node:util";
import { serveHttp } from "proffer/http";
import { connect } from "proffer/testing";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createCopying } from "../../cli/src/inspect/host.ts";
import { load } from "../../cli/src/modules/load.ts";
import { createProject, type Project } from "../../cli/test/project.ts";
import { distFile } from "../../proffer/test/dist.ts";
import { type CopySource, copyAs } from "../src/copy/copy.ts";
import type { Draft } from "../src/protocol/api.ts";
import type { JsonObject } from "../src/protocol/data.ts";
import { NOTE_AND_REVIEW } from "./note-and-review.ts";

const NEWEST = "2026-07-28";
const OLDER = "2025-11-25";
const HARD = `it's "quoted"\n$(touch hacked) \`x\` \\ ${"\u2019"} é`;

const MODULE = [
  'import type { Context } from "proffer";',
  "/** Repeats a text. */",
  "export function echo(text: string, count = 1): { said: string[] } {",
  "  return { said: Array(count).fill(text) };",
  "}",
  "/** Orders after a question. */",
  "export async function order(id: string, ctx: Context): Promise<string> {",
  '  const answer = await ctx.ask<{ sure: boolean }>("Sure?");',
  '  return answer.action === "accept" && answer.content.sure ? "ordered " + id : "left alone";',
  "}",
  "/** Always fails. @throws never returns */",
  "export function broken(): string {",
  '  throw new Error("no");',
  "}",
  ...NOTE_AND_REVIEW,
];

let project: Project;
let source: CopySource;
let close: () => Promise<void>;

beforeAll(async () => {
  project = createProject();
  project.write("tools.ts", ...MODULE);
  const modules = fileURLToPath(new URL("../../../node_modules", import.meta.url));
  symlinkSync(join(modules, "vitest"), project.path("node_modules/vitest"), "junction");
  const server = await load(pathToFileURL(project.path("tools.ts")));
  const client = await connect(server);
  const tools = (await client.listTools()) as unknown as JsonObject[];
  await client.close();
  const service = await serveHttp(server, { port: 0 });
  close = () => service.close();
  const target = { kind: "module", file: "tools.ts" } as const;
  source = {
    ...createCopying(target, () => service.url),
    url: service.url,
    serverName: "tools",
    newest: NEWEST,
    tools,
  };
});

afterAll(async () => {
  await close?.();
  project?.remove();
});

const echo = (text: string): Draft => ({
  revision: NEWEST,
  method: "tools/call",
  params: { name: "echo", arguments: { text, count: 2 } },
});

/** Runs a line of sh in the project, with `npx proffer` as an installed package would run it. */
async function sh(line: string): Promise<string> {
  const npx = `npx() { shift; '${process.execPath}' '${distFile("bin.js", "proffer")}' "$@"; }`;
  const { stdout } = await promisify(execFile)("sh", ["-c", `${npx}\n${line}`], { cwd: project.folder });
  return stdout;
}

/** The JSON-RPC result in the output of curl: a JSON text, or the events of a stream. */
function resultIn(output: string): JsonObject {
  const [, data = output] = /^data: (.*)$/m.exec(output.slice(output.lastIndexOf("data: "))) ?? [];
  return JSON.parse(data).result;
}

describe("a copied test passes", () => {
  const drafts: { readonly [name: string]: Draft } = {
    tool: { ...echo(HARD), result: { structuredContent: { said: [HARD, HARD] } } },
    "tool on an older revision": {
      ...echo("x"),
      revision: "2024-11-05",
      result: { content: [{ type: "text", text: '{"said":["x","x"]}' }] },
    },
    "tool with an answer": {
      revision: NEWEST,
      method: "tools/call",
      params: { name: "order", arguments: { id: "7" } },
      answers: [{ action: "accept", content: { sure: true } }],
      result: { content: [{ type: "text", text: "ordered 7" }] },
    },
    "tool with a refusal": {
      revision: OLDER,
      method: "tools/call",
      params: { name: "order", arguments: { id: "7" } },
      answers: [{ action: "decline" }],
      result: { content: [{ type: "text", text: "left alone" }] },
    },
    "tool that fails": {
      revision: NEWEST,
      method: "tools/call",
      params: { name: "broken" },
      result: { isError: true, content: [{ type: "text", text: 'Tool "broken" failed.' }] },
    },
    resource: {
      revision: NEWEST,
      method: "resources/read",
      params: { uri: "notes://1" },
      result: { contents: [{ uri: "notes://1", mimeType: "text/plain", text: "note 1" }] },
    },
    prompt: {
      revision: NEWEST,
      method: "prompts/get",
      params: { name: "review", arguments: { code: "let x" } },
      result: { messages: [{ role: "user", content: { type: "text", text: "Review let x" } }] },
    },
  };

  test("for tools, resources and prompts, with answers, and fails for another result", () => {
    for (const [name, draft] of Object.entries(drafts)) {
      project.write(`${name.replaceAll(" ", "-")}.test.ts`, copyAs("test", draft, source).text);
    }
    const wrong = { ...echo("x"), result: { structuredContent: { said: ["y"] } } };
    project.write("wrong.test.ts", copyAs("test", wrong, source).text);
    const vitest = project.path("node_modules/vitest/vitest.mjs");
    const run = spawnSync(process.execPath, [vitest, "run", "--reporter=json", "--testTimeout=120000"], {
      cwd: project.folder,
      encoding: "utf8",
    });
    const { testResults } = JSON.parse(run.stdout.slice(run.stdout.indexOf("{")));
    const failed = testResults.filter((each: { status: string }) => each.status !== "passed");
    expect(failed.map((each: { name: string }) => each.name)).toEqual([project.path("wrong.test.ts")]);
    expect(testResults).toHaveLength(Object.keys(drafts).length + 1);
  });
});

describe("a copied command has the same result", () => {
  test("sh, with quotes, line feeds and substitutions", async () => {
    const line = copyAs("sh", echo(HARD), source).text;
    expect(JSON.parse(await sh(`${line} --json`)).structuredContent).toEqual({ said: [HARD, HARD] });
    const read: Draft = { revision: OLDER, method: "resources/read", params: { uri: "notes://a" } };
    expect(await sh(copyAs("sh", read, source).text)).toBe("note a\n");
    const prompt: Draft = {
      revision: NEWEST,
      method: "prompts/get",
      params: { name: "review", arguments: { code: "a='b'" } },
    };
    expect(await sh(copyAs("sh", prompt, source).text)).toContain("Review a='b'");
  });

  test.each([NEWEST, OLDER, "2025-03-26"])("curl, on %s", async (revision) => {
    const { text } = copyAs("curl", { ...echo(HARD), revision }, source);
    const { content } = resultIn(await sh(text)) as { content: { text: string }[] };
    expect(JSON.parse(content[0]?.text ?? "")).toEqual({ said: [HARD, HARD] });
  });

  test("a program with the official client", async () => {
    const modules = fileURLToPath(new URL("../../../node_modules/@modelcontextprotocol", import.meta.url));
    symlinkSync(modules, project.path("node_modules/@modelcontextprotocol"), "junction");
    project.write("client.mjs", copyAs("client", echo("x"), source).text);
    const { stdout } = await promisify(execFile)(process.execPath, ["client.mjs"], { cwd: project.folder });
    expect(stdout).toContain("said");
  });
});

test("PowerShell gets the arguments through a pipe, with its quotes", () => {
  const { text } = copyAs("powershell", echo("it's ’"), source);
  expect(text).toBe(`'{"text":"it''s ’’","count":2}' | npx proffer call tools.ts echo --input -`);
});

test("a configuration is written for each client, and an address only where that is known", () => {
  const config = (client: string, from = source) => copyAs("config", echo("x"), from, client).text;
  expect(JSON.parse(config("claude-code")).mcpServers.tools).toMatchObject({ type: "stdio" });
  expect(config("codex")).toContain("[mcp_servers.tools]");
  expect(config("goose")).toContain("extensions:");
  const remote: CopySource = {
    ...source,
    ...createCopying({ kind: "url", url: "https://example.com/mcp" }, () => undefined),
  };
  expect(JSON.parse(config("vscode", remote)).servers.tools).toEqual({ type: "http", url: "https://example.com/mcp" });
  expect(() => config("zed", remote)).toThrow("Zed is configured with a command here, not with an address.");
  expect(() => config("x")).toThrow('Unknown client "x". Use one of claude-code,');
});

test("a format that the server does not allow is refused with the reason", () => {
  const { url: _, ...rest } = source;
  const command: CopySource = {
    ...rest,
    ...createCopying({ kind: "command", command: ["node", "a b.js"] }, () => undefined),
  };
  expect(() => copyAs("curl", echo("x"), command)).toThrow("This server has no address. Start it with --http.");
  expect(() => copyAs("test", echo("x"), command)).toThrow("Copy the TypeScript client instead.");
  expect(copyAs("sh", echo("x"), command).text).toBe(
    `npx proffer call echo --input '{"text":"x","count":2}' -- node 'a b.js'`,
  );
  expect(JSON.parse(copyAs("json-rpc", echo("x"), command).text)).toMatchObject({
    method: "tools/call",
    params: { name: "echo" },
  });
});

test("a copied literal keeps a property named __proto__", () => {
  const params = { name: "echo", arguments: JSON.parse('{"__proto__":1,"a-b":[]}') };
  expect(copyAs("test", { ...echo("x"), params }, source).text).toContain('{ ["__proto__"]: 1, "a-b": [] }');
});
