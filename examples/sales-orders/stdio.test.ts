import { mkdir, mkdtemp, rm } from "node:fs/promises";
import { dirname, join } from "node:path";
import process from "node:process";
import { fileURLToPath } from "node:url";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { build } from "esbuild";
import { afterAll, beforeAll, expect, it } from "vitest";

const here = fileURLToPath(new URL(".", import.meta.url));
/** Inside node_modules, so that the bundle finds its external packages. */
const cache = fileURLToPath(new URL("../../node_modules/.cache", import.meta.url));
let file: string;

beforeAll(async () => {
  await mkdir(cache, { recursive: true });
  file = join(await mkdtemp(join(cache, "sales-orders-")), "server.mjs");
  await build({
    stdin: {
      contents: `import server from "./server.ts"; import { serveStdio } from "proffer/stdio"; await serveStdio(server);`,
      resolveDir: here,
    },
    bundle: true,
    format: "esm",
    platform: "node",
    external: ["node-sqlite3-wasm", "pdfkit"],
    outfile: file,
    logLevel: "error",
  });
});

afterAll(() => rm(dirname(file), { recursive: true }));

it("serves an official client over stdio", async () => {
  const client = new Client({ name: "stdio-test", version: "1" });
  const env = { PROFFER_KEYS: Buffer.alloc(32, 1).toString("base64") };
  const transport = new StdioClientTransport({ command: process.execPath, args: [file], env });
  await client.connect(transport, { timeout: 600_000 });
  const { resourceTemplates } = await client.listResourceTemplates();
  expect(resourceTemplates.map(({ name }) => name)).toContain("Sales Order Details");
  const { resources, nextCursor } = await client.listResources();
  expect(resources).toHaveLength(1000);
  expect((await client.listResources({ cursor: nextCursor })).resources[0]?.uri).toBe("orders/10995");
  const { contents } = await client.readResource({ uri: "file://reports/sales_summary.pdf" });
  expect(contents[0]).toMatchObject({ mimeType: "application/pdf", blob: expect.stringMatching(/^JVBERi0x/) });
  await expect(client.readResource({ uri: "orders/1" })).rejects.toThrow("Resource orders/1 not found");
  await client.close();
});
