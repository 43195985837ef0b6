import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { Client as OldClient } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport as OldStdio } from "@modelcontextprotocol/sdk/client/stdio.js";
import { StreamableHTTPClientTransport as OldHttp } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createProject, type Project, waitForStderr } from "./project.ts";

let project: Project;
let url: URL;

const INFO = { name: "official", version: "1.0.0" };
const PATIENT = { timeout: 600_000 };

beforeAll(async () => {
  project = createProject();
  project.write(
    "tools.ts",
    "/** Days later. */",
    "export const later = (from: Date, days = 1): Date => new Date(from.getTime() + days * 86_400_000);",
    "/** A factorial. @param n - of what. @integer @minimum 0 @maximum 1000 */",
    "export function factorial(n: number): bigint { let f = 1n; for (let i = 2n; i <= BigInt(n); i++) f *= i; return f; }",
    "/** The union. */",
    "export const union = (a: Set<number>, b: Set<number>): Set<number> => new Set([...a, ...b]);",
    "/** Turned round. */",
    "export const reverse = (bytes: Uint8Array): { bytes: Uint8Array; size: number } => ({ bytes: bytes.slice().reverse(), size: bytes.length });",
    "/** Any value. */",
    "export const cached = (): { cache: unknown; errors: Error[]; list: (string | undefined)[]; price: Price } =>",
    '  ({ cache: new Map([["a", new Set([1n])]]), errors: [new TypeError("no")], list: ["a", undefined], price: new Price() });',
    "/** Rows whose type says too little. */",
    'export const rows = (): { id: number; note?: string }[] => JSON.parse(\'[{ "id": 1, "note": null }]\');',
    "/** A row with another type. */",
    'export const row = (): { id: number } => JSON.parse(\'{ "id": "one" }\');',
    "/** Nothing, although the type says otherwise. */",
    "export const nothing = (): { id: number } => undefined as never;",
    "/** Without a schema. @output none */",
    'export const parsed = (): { id: number } => JSON.parse(\'{ "id": "one" }\');',
    "/** With a strict one. @output strict */",
    'export const strict = (): { id: number } => JSON.parse(\'{ "id": "one" }\');',
    'class Price { #digits = "1.50"; toJSON(): string { return this.#digits; } }',
  );
  const server = project.start("serve", "tools.ts", "--http", "0");
  url = new URL(/http:\S+/.exec(await waitForStderr(server, /http:\S+/))?.[0] ?? "");
});

afterAll(() => project.remove());

const launch = () => ({
  command: process.execPath,
  args: [project.path("node_modules/proffer/dist/bin.js"), "serve", project.path("tools.ts")],
});

async function connectNew(transport: "stdio" | "http"): Promise<Client> {
  const client = new Client(INFO, { versionNegotiation: { mode: "auto" } });
  await client.connect(
    transport === "stdio" ? new StdioClientTransport(launch()) : new StreamableHTTPClientTransport(url),
    PATIENT,
  );
  return client;
}

async function connectOld(transport: "stdio" | "http"): Promise<OldClient> {
  const client = new OldClient(INFO);
  await client.connect(
    transport === "stdio" ? new OldStdio(launch()) : (new OldHttp(url) as unknown as OldStdio),
    PATIENT,
  );
  return client;
}

describe.each(["stdio", "http"] as const)("over %s", (transport) => {
  it.each([
    ["the official client of SDK v2", connectNew],
    ["the official client of SDK v1", connectOld],
  ])("%s calls derived tools with dates, bigints, sets, bytes, defaults and values of any class", async (_, open) => {
    const client = await open(transport);
    const value = async (name: string, input: Record<string, unknown>) => {
      const called = (client as OldClient).callTool({ name, arguments: input }, undefined, PATIENT);
      const { structuredContent, isError } = (await called) as { structuredContent?: unknown; isError?: boolean };
      if (isError) return "an error";
      const wrapped = structuredContent as { result?: unknown };
      return typeof wrapped === "object" && "result" in wrapped ? wrapped.result : structuredContent;
    };
    expect(await value("later", { from: "2024-02-28T00:00:00Z" })).toBe("2024-02-29T00:00:00.000Z");
    expect(await value("later", { from: "2024-02-28T00:00:00Z", days: 2 })).toBe("2024-03-01T00:00:00.000Z");
    expect(await value("factorial", { n: 25 })).toBe("15511210043330985984000000");
    expect(await value("union", { a: [1, 2], b: [2, 3] })).toEqual([1, 2, 3]);
    expect(await value("reverse", { bytes: "AQID" })).toEqual({ bytes: "AwIB", size: 3 });
    expect(await value("cached", {})).toEqual({
      cache: { a: ["1"] },
      errors: [{ name: "TypeError", message: "no" }],
      list: ["a", null],
      price: "1.50",
    });
    expect(await value("later", { from: "soon" })).toBe("an error");
    expect(await value("factorial", { n: 2.5 })).toBe("an error");
    await client.close();
  });

  it.each([
    ["the official client of SDK v2", connectNew],
    ["the official client of SDK v1", connectOld],
  ])("%s gets the results of libraries whose types are wrong", async (_, open) => {
    const client = (await open(transport)) as OldClient;
    // Then it validates results.
    const { tools } = await client.listTools(undefined, PATIENT);
    expect(tools.find(({ name }) => name === "parsed")?.outputSchema).toBeUndefined();
    const call = async (name: string) => {
      const called = await client.callTool({ name, arguments: {} }, undefined, PATIENT);
      return called as { structuredContent?: unknown; isError?: boolean; content: { text: string }[] };
    };
    const { structuredContent: rows } = await call("rows");
    expect(Array.isArray(rows) ? { result: rows } : rows).toEqual({ result: [{ id: 1 }] });
    const row = await call("row");
    expect(row.isError).toBe(true);
    expect(row.content[0]?.text).toContain('(/id: must be number, not string). It is:\n{"id":"one"}');
    const nothing = await call("nothing");
    expect(nothing.isError).toBe(true);
    expect(nothing.content[0]?.text).toContain("(/: must be object, not undefined).");
    expect(await call("parsed")).toMatchObject({ structuredContent: { id: "one" } });
    await expect(call("strict")).rejects.toMatchObject({ code: -32603 });
    await client.close();
  });
});
