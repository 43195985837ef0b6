import { existsSync, readFileSync, symlinkSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { build } from "esbuild";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { ClientMessage } from "../../cli/src/recordings/lanes.ts";
import { createProject, type Project, waitForStderr } from "../../cli/test/project.ts";
import { distFile } from "../../proffer/test/dist.ts";
import type { Edit, Trace } from "../src/protocol/data.ts";

interface Entry {
  readonly edit?: Edit;
  readonly trace?: Trace;
  readonly id?: number;
  readonly message?: ClientMessage;
}

let project: Project;
let client: Client;

const SOURCE = [
  'import type { Context } from "proffer";',
  "/** Orders. */",
  "export async function order(ctx: Context, sku: string): Promise<string> {",
  '  const price = await ctx.step("price", () => 14);',
  '  const { action } = await ctx.ask<{ sure: boolean }>("Pay " + price + "?");',
  '  return sku + " " + action;',
  "}",
];

beforeAll(async () => {
  project = createProject();
  const compiler = dirname(createRequire(import.meta.url).resolve("typescript/package.json"));
  symlinkSync(compiler, project.path("node_modules/typescript"), "junction");
  const worker = pathToFileURL(distFile("dev/compiler-worker.js", "cli")).href;
  project.write("worker.mjs", `import ${JSON.stringify(worker)};`);
  project.write(
    "package.json",
    JSON.stringify({ name: "shop", type: "module", imports: { "#compiler-worker": "./worker.mjs" } }),
  );
  project.write("tools.ts", ...SOURCE);
  await build({
    entryPoints: [fileURLToPath(new URL("observed-dev.ts", import.meta.url))],
    outfile: project.path("observed-dev.mjs"),
    bundle: true,
    format: "esm",
    platform: "node",
    external: ["proffer", "proffer/*", "typescript", "#compiler-worker"],
    // The repository's tsconfig maps `proffer` to its sources, which would load the package twice.
    tsconfigRaw: {},
  });
  const started = project.startNode("observed-dev.mjs", project.path("seen.jsonl"), "tools.ts", "--http", "0");
  const url = /http:\S+mcp/.exec(await waitForStderr(started, /http:\S+mcp/))?.[0] ?? "";
  client = new Client(
    { name: "official", version: "1" },
    { capabilities: { elicitation: {} }, versionNegotiation: { mode: "auto" } },
  );
  client.setRequestHandler("elicitation/create", () => ({ action: "accept", content: { sure: true } }));
  await client.connect(new StreamableHTTPClientTransport(new URL(url)), { timeout: 600_000 });
});

afterAll(async () => {
  await client?.close();
  project.remove();
});

function seen(): Entry[] {
  if (!existsSync(project.path("seen.jsonl"))) return [];
  const lines = readFileSync(project.path("seen.jsonl"), "utf8").split("\n");
  return lines.slice(0, -1).map((line) => JSON.parse(line));
}

const call = () => client.callTool({ name: "order", arguments: { sku: "a1" } }, { timeout: 600_000 });
const edits = () => seen().flatMap(({ edit }) => edit ?? []);

test("dev reports the runs of a call, which can be found among the client's messages by their ids", async () => {
  expect((await call()).content).toMatchObject([{ text: "a1 accept" }]);
  await expect.poll(() => seen().filter(({ trace }) => trace).length).toBe(4);
  const traced = seen().flatMap(({ trace, id }) => (trace === undefined ? [] : [{ trace, id }]));
  expect(traced.map(({ trace }) => ({ ...trace, ms: undefined }))).toEqual([
    { kind: "step", name: "price", how: "ran", value: "14" },
    { kind: "ask", message: "Pay 14?", how: "asked" },
    { kind: "step", name: "price", how: "replayed", value: "14" },
    { kind: "ask", message: "Pay 14?", how: "replayed" },
  ]);
  const sent = seen().flatMap(({ message }) => (message?.dir === "out" ? JSON.parse(message.text) : []));
  const calls = sent.filter(({ method }) => method === "tools/call").map(({ id }) => id);
  expect([...new Set(traced.map(({ id }) => id))]).toEqual(calls);
});

test("dev reports each edit, and a broken one leaves the last version callable", async () => {
  project.write("tools.ts", ...SOURCE.map((line) => line.replace("sku: string", "sku: string, count = 1")));
  await expect.poll(edits).toHaveLength(1);
  expect(edits()[0]).toMatchObject({
    how: "applied",
    changes: [
      {
        key: "order",
        how: "changed",
        parts: [{ pointer: "/inputSchema/properties/count", place: { line: 3 } }],
      },
    ],
  });
  project.write("tools.ts", ...SOURCE, "export const oops = (;");
  await expect.poll(edits).toHaveLength(2);
  expect(edits()[1]).toMatchObject({ how: "broken", problems: [{ line: 8, code: "TS1109" }] });
  expect((await call()).content).toMatchObject([{ text: "a1 accept" }]);
});
