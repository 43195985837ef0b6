import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { Client as OldClient } from "@modelcontextprotocol/sdk/client/index.js";
import { SSEClientTransport } from "@modelcontextprotocol/sdk/client/sse.js";
import { StdioClientTransport as OldStdio } from "@modelcontextprotocol/sdk/client/stdio.js";
import { StreamableHTTPClientTransport as OldHttp } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { ElicitRequestSchema } from "@modelcontextprotocol/sdk/types.js";
import { build } from "esbuild";
import { overrideOptions } from "proffer/derived";
import { type HttpService, serveHttp } from "proffer/http";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { type ClientMessage, recordClients } from "../../cli/src/recordings/lanes.ts";
import { observeClients } from "../../cli/src/recordings/observe-clients.ts";
import { WireRecord } from "../../cli/src/recordings/record.ts";
import { createShop } from "./shop.ts";

const PATIENT = { timeout: 600_000 };
const YES = { action: "accept" as const, content: { sure: true } };
const SECRET = "Bearer not-to-be-recorded";

/** The name and version of the official client of each generation. */
const OLD = { name: "old-client", version: "1.32.2" };
const NEW = { name: "new-client", version: "2.4.0" };

type Transport = Parameters<Client["connect"]>[0];

async function callWithOld(transport: unknown): Promise<unknown> {
  const client = new OldClient(OLD, { capabilities: { elicitation: {} } });
  client.setRequestHandler(ElicitRequestSchema, () => YES);
  await client.connect(transport as Parameters<OldClient["connect"]>[0], PATIENT);
  const { content } = await client.callTool({ name: "order" }, undefined, { ...PATIENT, onprogress: () => {} });
  await client.close();
  return content;
}

async function callWithNew(transport: unknown): Promise<unknown> {
  const client = new Client(NEW, { capabilities: { elicitation: {} }, versionNegotiation: { mode: "auto" } });
  client.setRequestHandler("elicitation/create", () => YES);
  await client.connect(transport as Transport, PATIENT);
  const { content } = await client.callTool({ name: "order" }, { ...PATIENT, onprogress: () => {} });
  await client.close();
  return content;
}

/** The method of a message, or the first member of its result. */
function kindOf({ dir, text }: ClientMessage): string {
  const { method, result } = JSON.parse(text);
  return `${dir} ${method ?? Object.keys(result ?? { error: 0 })[0]}`;
}

const OLD_CALL = ["out tools/call", "in notifications/progress", "in elicitation/create", "out action", "in content"];

describe("over HTTP", () => {
  let service: HttpService;
  let messages: ClientMessage[];
  let closed: string[];
  let record: WireRecord;
  beforeEach(async () => {
    messages = [];
    closed = [];
    record = new WireRecord();
    const { onClientMessage } = recordClients(record);
    const watch = observeClients({
      onClientMessage(message) {
        messages.push(message);
        onClientMessage(message);
      },
      onClientClosed: (conn) => closed.push(conn),
    });
    service = await serveHttp(overrideOptions(createShop(), { watch }), { port: 0, legacySse: true });
  });
  afterEach(() => service.close(0));

  const lanes = () => new Set(messages.map(({ conn }) => conn));
  const recorded = () => JSON.stringify([...record.messages()]);
  const init = { requestInit: { headers: { authorization: SECRET } } };

  test("the official client of SDK v1 is a lane with its name, revision and exact messages", async () => {
    const transport = new OldHttp(new URL(service.url), init);
    expect(await callWithOld(transport)).toMatchObject([{ text: "accept" }]);
    expect(lanes().size).toBe(1);
    expect(messages.map(kindOf)).toEqual([
      "out initialize",
      "in protocolVersion",
      "out notifications/initialized",
      ...OLD_CALL,
    ]);
    expect(messages.at(-1)).toMatchObject({ transport: "http", client: OLD, revision: "2025-11-25" });
    expect(JSON.parse(messages[1]?.text ?? "").result.serverInfo.name).toBe("shop");
    expect(record.get(1)?.http).toMatchObject({ method: "POST", requestHeaders: { authorization: "***" } });
    expect(messages[1]?.http?.status).toBe(200);
    expect(messages.find(({ text }) => text.includes("notifications/progress"))?.http?.eventId).toMatch(/^\d+-\d+$/);
    expect(recorded()).not.toContain("not-to-be-recorded");
    expect(recorded()).not.toContain(transport.sessionId);
  });

  test("the official client of SDK v2 is one lane without a session", async () => {
    expect(await callWithNew(new StreamableHTTPClientTransport(new URL(service.url), init))).toMatchObject([
      { text: "accept" },
    ]);
    expect(lanes().size).toBe(1);
    expect(messages.at(-1)).toMatchObject({ transport: "http", client: NEW, revision: "2026-07-28" });
    expect(messages.map(kindOf)).toEqual(expect.arrayContaining(["out server/discover", "out tools/call"]));
    expect(messages.filter((each) => kindOf(each) === "out tools/call")).toHaveLength(2);
    expect(recorded()).not.toContain("not-to-be-recorded");
  });

  test("a client of the HTTP+SSE transport is a lane that ends with its stream", async () => {
    expect(await callWithOld(new SSEClientTransport(new URL(`${service.url}/sse`)))).toMatchObject([
      { text: "accept" },
    ]);
    expect(lanes().size).toBe(1);
    expect(messages.map(kindOf).slice(3)).toEqual(OLD_CALL);
    expect(messages.at(-1)).toMatchObject({ transport: "sse", client: OLD });
    await expect.poll(() => closed).toEqual([...lanes()]);
  });

  test("two clients at the same time are two lanes", async () => {
    await Promise.all([
      callWithOld(new OldHttp(new URL(service.url))),
      callWithNew(new StreamableHTTPClientTransport(new URL(service.url))),
    ]);
    expect(lanes().size).toBe(2);
    const names = new Map(messages.map(({ conn, client }) => [conn, client?.name]));
    expect([...names.values()].sort()).toEqual(["new-client", "old-client"]);
  });

  test("malformed bodies and invented sessions are shown, and get no lane each", async () => {
    for (let n = 0; n < 5; n++) {
      const headers = { "content-type": "application/json", accept: "*/*", "mcp-session-id": `invented-${n}` };
      const response = await fetch(service.url, { method: "POST", headers, body: '{"broken":' });
      expect(await response.text()).toBe(messages.at(-1)?.text);
    }
    expect(lanes().size).toBe(1);
    expect(messages.filter(({ dir }) => dir === "out").map(({ text }) => text)).toEqual(Array(5).fill('{"broken":'));
    expect(messages.find(({ dir }) => dir === "in")?.http?.status).toBe(400);
  });
});

describe("over stdio", () => {
  let folder: string;
  let program: string;
  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), "proffer-observed-"));
    program = join(folder, "observed.mjs");
    await build({
      entryPoints: [fileURLToPath(new URL("observed-stdio.ts", import.meta.url))],
      outfile: program,
      bundle: true,
      format: "esm",
      platform: "node",
      logLevel: "error",
    });
  });
  afterAll(() => rmSync(folder, { recursive: true }));

  const read = (file: string) =>
    readFileSync(file, "utf8")
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line));

  test.each([
    ["v1", OLD, "2025-11-25", callWithOld, OldStdio],
    ["v2", NEW, "2026-07-28", callWithNew, StdioClientTransport],
  ] as const)(
    "the official client of SDK %s is a lane with its exact messages",
    async (name, client, revision, call, Stdio) => {
      const file = join(folder, `${name}.jsonl`);
      const transport = new Stdio({ command: process.execPath, args: [program, file] });
      expect(await call(transport)).toMatchObject([{ text: "accept" }]);
      await expect.poll(() => read(file).at(-1)).toHaveProperty("closed");
      const messages: ClientMessage[] = read(file).filter((entry) => !("closed" in entry));
      expect(new Set(messages.map(({ conn }) => conn)).size).toBe(1);
      expect(messages.at(-1)).toMatchObject({ transport: "stdio", client, revision });
      const kinds = messages.map(kindOf);
      if (name === "v1") expect(kinds.slice(3)).toEqual(OLD_CALL);
      else expect(kinds.filter((kind) => kind === "out tools/call")).toHaveLength(2);
    },
  );
});
