import { connect } from "proffer/testing";
import { expect, it } from "vitest";
import type { JsonSchemaObject } from "../schema/json-schema/types.ts";
import type { LogEntry } from "../support/log.ts";
import { createDerivedServer } from "./derived-server.ts";
import type { ManifestTool } from "./manifest.ts";

const ROW: JsonSchemaObject = {
  type: "object",
  properties: { id: { type: "number" }, note: { type: "string" }, gone: { type: ["string", "null"] } },
  required: ["id"],
};

/** Calls a function that returns this value, with this output schema. */
async function call(value: unknown, outputSchema: JsonSchemaObject, more: Partial<ManifestTool> = {}, closed = false) {
  const log: LogEntry[] = [];
  const tool: ManifestTool = {
    name: "get",
    inputSchema: { type: "object" },
    outputSchema,
    binding: { path: ["get"], parameters: [], result: { kind: "value" } },
    ...more,
  };
  const manifest = { server: { name: "rows", version: "1.0.0" }, tools: [tool], prompts: [], resources: [] };
  const load = async () => ({ get: () => value });
  const options = { log: (entry: LogEntry) => void log.push(entry), closedResults: closed };
  const client = await connect(createDerivedServer(manifest, load, options));
  const called = await client.call("get");
  return { called, log, text: (called.content[0] as { text: string } | undefined)?.text };
}

it("sends a matching value as it is", async () => {
  const { called, log } = await call({ id: 1, gone: null }, ROW);
  expect(called.structuredContent).toEqual({ id: 1, gone: null });
  expect(log).toEqual([]);
});

it("drops nulls that may be absent, from the value and its text, and keeps those that the type has", async () => {
  const rows = Array.from({ length: 250 }, (_, id) => ({ id, note: null, gone: null }));
  const { called, text, log } = await call(
    { rows },
    { type: "object", properties: { rows: { type: "array", items: ROW } } },
  );
  expect(called.isError).toBeUndefined();
  expect((called.structuredContent as { rows: unknown[] }).rows[249]).toEqual({ id: 249, gone: null });
  expect(text).not.toContain("note");
  expect(log).toEqual([]);
});

it("drops a null in a member of a union, and keeps the others", async () => {
  const union = {
    anyOf: [ROW, { type: "object", properties: { at: { type: "string" } }, required: ["at"] }, { type: "number" }],
  };
  const { called } = await call(
    { it: { at: null, id: 1, note: null, gone: null } },
    { type: "object", properties: { it: union } },
  );
  expect(called.structuredContent).toEqual({ it: { at: null, id: 1, gone: null } });
});

it("sends what a class writes, where the class itself does not match", async () => {
  class Document {
    readonly #row = { id: 1, secret: "SECRET" };
    toJSON() {
      return { id: this.#row.id };
    }
  }
  const { called } = await call(new Document(), ROW);
  expect(called.structuredContent).toEqual({ id: 1 });
});

it("gives the model the value of any other result, and the log the path and the kinds", async () => {
  const { called, text, log } = await call({ id: "seven", note: 5, more: "kept" }, ROW);
  expect(called).toMatchObject({ isError: true });
  expect(called.structuredContent).toBeUndefined();
  expect(text).toBe(
    'The result does not match its output schema (/id: must be number, not string, and 1 more). It is:\n{"id":"seven","note":5,"more":"kept"}',
  );
  expect(log).toHaveLength(1);
  const message = expect.stringContaining("Return such a value, or change the declared type.");
  expect(log[0]).toMatchObject({ level: "error", name: "get", message });
  expect(log[0]?.error).toHaveProperty("message", "/id: must be number, not string\n/note: must be string, not number");
  expect(JSON.stringify(log)).not.toContain("seven");
});

it.each([
  ["the tool is closed", { closed: true }, false],
  ["the server is closed", {}, true],
])("gives only the sentence if %s", async (_, more, closed) => {
  const { text } = await call({ id: "seven", password: "SECRET" }, ROW, more, closed);
  expect(text).toBe("The result does not match its output schema (/id: must be number, not string).");
});

it("fails a strict tool", async () => {
  await expect(call({ id: "seven" }, ROW, { mismatch: "error" })).rejects.toMatchObject({ code: -32603 });
  await expect(call({ id: 1, note: null }, ROW, { mismatch: "error" })).rejects.toMatchObject({ code: -32603 });
});

it.each<[string, unknown]>([
  ["a missing property", {}],
  ["a null that must be there", { id: null }],
  ["the wrong type of the whole", ["a"]],
  ["a null in a list", { id: 1, note: [null] }],
])("does not invent a value for %s", async (_, value) => {
  expect((await call(value, ROW)).called.isError).toBe(true);
});

it("says that a function returned undefined, unless the tool is strict", async () => {
  const { called, text, log } = await call(undefined, ROW);
  expect(called).toMatchObject({ isError: true });
  expect(called.structuredContent).toBeUndefined();
  expect(text).toBe("The result does not match its output schema (/: must be object, not undefined).");
  expect(log).toHaveLength(1);
  await expect(call(undefined, ROW, { mismatch: "error" })).rejects.toMatchObject({ code: -32603 });
});

it("gives the beginning of a value that no model can read", async () => {
  const { called, text = "" } = await call({ id: "x".repeat(2_000_000) }, ROW);
  expect(called.isError).toBe(true);
  expect(text).toContain('not string). It has 2000009 characters and begins with:\n{"id":"xxx');
  expect(text.length).toBeLessThan(101_000);
});
