import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { connect } from "proffer/testing";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { load } from "../src/modules/load.ts";

let folder: string;

beforeAll(() => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), "proffer-load-")));
  mkdirSync(join(folder, "node_modules"));
  symlinkSync(
    fileURLToPath(new URL("../../proffer", import.meta.url)),
    join(folder, "node_modules/proffer"),
    "junction",
  );
  write("package.json", '{ "name": "sample", "version": "1.2.3", "type": "module" }');
});

afterAll(() => rmSync(folder, { recursive: true, force: true }));

function write(file: string, ...lines: string[]): string {
  const path = join(folder, file);
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, `${lines.join("\n")}\n`);
  return path;
}

describe("load", () => {
  it("returns the server of a plain module, for tests with connect", async () => {
    const module = write(
      "values.ts",
      'import type { Context } from "proffer";',
      "/** The day after. */",
      "export function next(day: Date, count = 1n): Date { return new Date(day.getTime() + Number(count) * 86_400_000); }",
      "/** Without doubles. */",
      "export const unique = (values: Set<string>, ...more: URL[]) => new Set([...values, ...more.map(({ host }) => host)]);",
      "/** Turned round. */",
      "export function reverse(bytes: Uint8Array): { bytes: Uint8Array } { return { bytes: bytes.slice().reverse() }; }",
      "/** Greets. */",
      "export async function greet(ctx: Context): Promise<string> {",
      '  const answer = await ctx.ask<{ name: string }>("Who are you?");',
      '  return answer.action === "accept" ? "Hello, " + answer.content.name : "Hello!";',
      "}",
    );
    const client = await connect(await load(pathToFileURL(module)), { answers: [{ name: "Ada" }] });
    const value = async (tool: string, input: object) => (await client.call(tool, input)).structuredContent;
    expect(await value("next", { day: "2024-02-28T00:00:00Z" })).toBe("2024-02-29T00:00:00.000Z");
    expect(await value("next", { day: "2024-02-28T00:00:00Z", count: "2" })).toBe("2024-03-01T00:00:00.000Z");
    expect(await value("unique", { values: ["a"], more: ["https://a/", "https://b/"] })).toEqual(["a", "b"]);
    expect(await value("reverse", { bytes: "AQID" })).toEqual({ bytes: "AwIB" });
    expect((await client.call("greet", {})).content).toEqual([{ type: "text", text: "Hello, Ada" }]);
    expect((await client.call("next", { day: "yesterday" })).isError).toBe(true);
    await client.close();
  });

  it("sends results with the types of the official SDKs unchanged", async () => {
    const official = fileURLToPath(new URL("../../../node_modules/@modelcontextprotocol", import.meta.url));
    symlinkSync(official, join(folder, "node_modules/@modelcontextprotocol"), "junction");
    const module = write(
      "ported.ts",
      'import type { CallToolResult } from "@modelcontextprotocol/sdk/types.js";',
      'import type { CallToolResult as NewResult } from "@modelcontextprotocol/client";',
      'const content = [{ type: "text" as const, text: "Hello." }];',
      "/** Version 1. */",
      "export async function first(): Promise<CallToolResult> { return { content, other: 1 }; }",
      "/** Version 2. */",
      "export const second = (): NewResult => ({ content, structuredContent: { a: 1 }, isError: true });",
      "/** Without a type. */",
      'export const inferred = async () => ({ content: [{ type: "text", text: "Hello." }] });',
      "/** Looks like one, but the client could not show it. */",
      'export const chapters = () => ({ content: [{ type: "chapter", text: "Hello." }] });',
    );
    const client = await connect(await load(module));
    const { _meta, ...first } = await client.call("first");
    expect(first).toEqual({ resultType: "complete", content: [{ type: "text", text: "Hello." }] });
    expect(await client.call("second")).toMatchObject({ structuredContent: { a: 1 }, isError: true });
    expect(await client.call("inferred")).toMatchObject({ content: [{ type: "text", text: "Hello." }] });
    expect(await client.call("chapters")).toMatchObject({ structuredContent: { content: [{ type: "chapter" }] } });
    for (const tool of await client.listTools()) expect(tool).not.toHaveProperty("outputSchema");
    await client.close();
  });

  it("places CommonJS files where their sources are", async () => {
    write("legacy/half.cts", "#!/usr/bin/env node", "export const place = (): string[] => [__dirname, __filename];");
    const module = write(
      "legacy/places.ts",
      'import { place } from "./half.cjs";',
      "/** Places. */ export const places = (): string[] => place();",
    );
    for (const _ of ["sources", "cache"]) {
      const client = await connect(await load(module));
      const { structuredContent } = await client.call("places");
      expect(structuredContent).toEqual([join(folder, "legacy"), join(folder, "legacy/half.cts")]);
      await client.close();
    }
  });

  it("returns the server that a module exports", async () => {
    const module = write(
      "own.ts",
      'import { defineServer } from "proffer";',
      'export default defineServer({ name: "own", version: "1.0.0" });',
    );
    expect((await load(module)).info.name).toBe("own");
  });

  it("rejects with the error that the module throws", async () => {
    const module = write(
      "throws.ts",
      "interface Erased { name: string }",
      "/** Never works. */",
      "export const never = (erased: Erased) => erased.name;",
      'if (never.length === 1) throw new Error("no database");',
    );
    await expect(load(module)).rejects.toThrow("no database");
  });

  it("rejects with every diagnostic of a module that cannot be served", async () => {
    const module = write("callback.ts", "/** Calls. */", "export function call(back: () => void) { back(); }");
    await expect(load(module)).rejects.toThrow(/callback\.ts:2:22 error PF1102/);
  });
});
