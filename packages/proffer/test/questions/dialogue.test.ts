import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { Client as ModernClient, StreamableHTTPClientTransport as ModernHttp } from "@modelcontextprotocol/client";
import { StdioClientTransport as ModernStdio } from "@modelcontextprotocol/client/stdio";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { ElicitRequestSchema } from "@modelcontextprotocol/sdk/types.js";
import { build } from "esbuild";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { modern, postModern } from "../http/http-client.ts";

/** A trumpeter swan: about twenty questions, including menus. */
const SWAN: Record<string, string> = {
  feet: "webbed",
  bill: "flat",
  neck: "long",
  color: "white",
  flight: "ponderous",
  voice: "loud_trumpeting",
  size: "large",
  tail: "other",
};
const IDENTIFIED = [{ type: "text", text: "Identified bird: trumpeter_swan" }];
const KEYS = Buffer.alloc(32, 9).toString("base64");
const INFO = { name: "test", version: "1" };
const CAPABILITIES = { capabilities: { elicitation: {} } };

/** Answers a question for the swan. */
function look(message: string): { action: "accept"; content: { answer: string } } {
  const menu = /^What is the value for (\w+)\?$/.exec(message)?.[1];
  const [, attribute = "", value] = /^(\w+): (\w+)\?$/.exec(message) ?? [];
  const answer = menu === undefined ? (SWAN[attribute] === value ? "yes" : "no") : (SWAN[menu] ?? "other");
  return { action: "accept", content: { answer } };
}

let folder: string;
let program: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "proffer-birds-"));
  program = join(folder, "birds.mjs");
  const entry = fileURLToPath(new URL("../fixtures/birds.ts", import.meta.url));
  await build({
    entryPoints: [entry],
    outfile: program,
    bundle: true,
    format: "esm",
    platform: "node",
    logLevel: "error",
  });
});
afterAll(() => rm(folder, { recursive: true }));

const processes: ChildProcess[] = [];
afterEach(() => {
  for (const child of processes.splice(0)) child.kill("SIGKILL");
});

async function serve(): Promise<{ url: string; child: ChildProcess }> {
  const child = spawn(process.execPath, [program, "http"], { env: { ...process.env, PROFFER_KEYS: KEYS } });
  processes.push(child);
  const [url] = await once(createInterface(child.stdout), "line");
  return { url, child };
}

const stdio = () => ({ command: process.execPath, args: [program] });
const TIMEOUT = { timeout: 600_000 };

describe("a dialogue of twenty questions", () => {
  it.each(["stdio", "http"])("has the same result with the official client 1.32 over %s", async (transport) => {
    const client = new Client(INFO, CAPABILITIES);
    let asked = 0;
    client.setRequestHandler(ElicitRequestSchema, ({ params }) => {
      asked++;
      return look(params.message);
    });
    const url = transport === "http" ? new URL((await serve()).url) : undefined;
    await client.connect(url ? new StreamableHTTPClientTransport(url) : new StdioClientTransport(stdio()), TIMEOUT);
    const result = await client.callTool({ name: "identify_bird" }, undefined, TIMEOUT);
    expect(result.content).toEqual(IDENTIFIED);
    expect(asked).toBeGreaterThanOrEqual(20);
    await client.close();
  });

  it.each([
    ["stdio", "legacy"],
    ["stdio", { pin: "2026-07-28" }],
    ["http", "legacy"],
    ["http", { pin: "2026-07-28" }],
  ] as const)("has the same result with the official client 2.4 over %s, %j", async (transport, mode) => {
    const client = new ModernClient(INFO, {
      ...CAPABILITIES,
      versionNegotiation: { mode },
      inputRequired: { maxRounds: 100 },
    });
    let asked = 0;
    client.setRequestHandler("elicitation/create", ({ params }) => {
      asked++;
      return look(params.message);
    });
    const url = transport === "http" ? new URL((await serve()).url) : undefined;
    await client.connect(url ? new ModernHttp(url) : new ModernStdio(stdio()), TIMEOUT);
    const result = await client.callTool({ name: "identify_bird" }, TIMEOUT);
    expect(result.content).toEqual(IDENTIFIED);
    expect(asked).toBeGreaterThanOrEqual(20);
    await client.close();
  });

  it("continues in another process with the same key, and after a restart", async () => {
    const nodes = [await serve(), await serve()];
    let result = await round(nodes[0]?.url ?? "");
    let rounds = 1;
    for (; result.resultType === "input_required" && rounds < 100; rounds++) {
      if (rounds === 10) {
        nodes[0]?.child.kill("SIGKILL");
        nodes[0] = await serve();
      }
      result = await round(nodes[rounds % 2]?.url ?? "", result);
    }
    expect(result.content).toEqual(IDENTIFIED);
    expect(rounds).toBeGreaterThanOrEqual(20);
  });
});

interface RoundResult {
  readonly resultType: string;
  readonly content?: unknown;
  readonly requestState?: string;
  readonly inputRequests?: Record<string, { params: { message: string } }>;
}

/** Sends one request of 2026-07-28, with answers to the questions of the previous result. */
async function round(url: string, before?: RoundResult): Promise<RoundResult> {
  const answers = Object.entries(before?.inputRequests ?? {}).map(([key, { params }]) => [key, look(params.message)]);
  const retry = before && { requestState: before.requestState, inputResponses: Object.fromEntries(answers) };
  const message = modern("tools/call", { name: "identify_bird", ...retry }, { elicitation: {} });
  const { json, body } = await postModern(url, message);
  expect(json, body).toHaveProperty("result");
  return json.result;
}
