import { defineServer, defineTool, fail, result, type Tool } from "proffer";
import { connect } from "proffer/testing";
import { describe, expect, expectTypeOf, it } from "vitest";
import { z } from "zod";
import { ValidationError } from "../src/schema/schema.ts";

const city = {
  type: "object",
  properties: { city: { type: "string" }, degrees: { type: "number", minimum: -90 } },
  required: ["city"],
  additionalProperties: false,
} as const;

async function call(tool: Tool) {
  const logged: unknown[] = [];
  const server = defineServer({ name: "s", version: "1", tools: [tool], log: ({ error }) => logged.push(error) });
  const client = await connect(server);
  return { answer: await client.call("t").catch((error) => error), logged };
}

describe("an output schema", () => {
  it("types the handler's return value", () => {
    defineTool({ name: "t", output: city, handle: () => ({ city: "Lisbon" }) });
    defineTool({ name: "t", output: city, handle: async () => result({ city: "Lisbon" }, { _meta: {} }) });
    defineTool({ name: "t", output: city, handle: () => fail("no such city") });
    // @ts-expect-error -- city is missing
    defineTool({ name: "t", output: city, handle: () => ({ degrees: 1 }) });
    // @ts-expect-error -- a string is not a city
    defineTool({ name: "t", output: city, handle: () => "Lisbon" });
    // @ts-expect-error -- undefined is not a city
    defineTool({ name: "t", output: z.object({ city: z.string() }), handle: async () => {} });
  });

  it("types the result of the testing client", async () => {
    const tool = defineTool({ name: "t", output: z.object({ city: z.string() }), handle: () => ({ city: "Lisbon" }) });
    const client = await connect(defineServer({ name: "s", version: "1", tools: [tool] }));
    const { structuredContent } = await client.call(tool);
    expectTypeOf(structuredContent).toEqualTypeOf<{ city: string } | undefined>();
    expect(structuredContent).toEqual({ city: "Lisbon" });
  });

  it.each([
    ["a wrong type", { city: 1 }],
    ["a missing property", { degrees: 1 }],
    ["an extra property", { city: "Lisbon", secret: "hunter2" }],
    ["a value out of range", { city: "Lisbon", degrees: -100 }],
    ["null", null],
    ["a list", []],
  ])("hides %s from the client, and logs the reason", async (_what, value) => {
    const { answer, logged } = await call(defineTool({ name: "t", output: city, handle: () => value as never }));
    expect(answer).toMatchObject({
      code: -32603,
      message: 'Tool "t" returned a value that does not match its output schema.',
    });
    expect(answer).not.toHaveProperty("data.issues");
    expect(logged).toEqual([expect.any(ValidationError)]);
  });

  it.each([
    ["the value that does not fit", { city: 1 }, "/city: must be string (it is 1)"],
    [
      "a result that a handler for another framework returned",
      { content: [{ type: "text", text: "Lisbon" }], structuredContent: { city: "Lisbon" } },
      "/: the handler returned a result object; return the value itself, or drop the output schema",
    ],
  ])("logs %s", async (_what, value, reason) => {
    const { logged } = await call(defineTool({ name: "t", output: city, handle: () => value as never }));
    expect(String(logged[0])).toContain(reason);
  });

  it("also validates the value of result()", async () => {
    const tool = defineTool({ name: "t", output: city, handle: () => result({ city: 1 } as never, { _meta: {} }) });
    expect((await call(tool)).answer).toMatchObject({ code: -32603 });
  });

  it("does not validate failures", async () => {
    const { answer } = await call(defineTool({ name: "t", output: city, handle: () => fail("no such city") }));
    expect(answer).toMatchObject({ isError: true, content: [{ text: "no such city" }] });
  });

  it("sends the output of the schema: without unknown properties, and with defaults", async () => {
    const output = z.object({ city: z.string().default("Lisbon"), at: z.object({ x: z.number() }) });
    const row = { at: { x: 1, internal: true }, password_hash: "hunter2" };
    const handle = () => result(row as never, { _meta: { "test/k": 1 } });
    const { answer } = await call(defineTool({ name: "t", output, handle }));
    const sent = { city: "Lisbon", at: { x: 1 } };
    expect(answer).toMatchObject({ structuredContent: sent, _meta: { "test/k": 1 } });
    expect(answer.structuredContent).toEqual(sent);
    expect(JSON.parse(answer.content[0].text)).toEqual(sent);
    expect(JSON.stringify(answer)).not.toContain("hunter2");
  });

  it("may validate asynchronously", async () => {
    const output = z.object({ id: z.string().refine(async (id) => id !== "bad") });
    expect((await call(defineTool({ name: "t", output, handle: () => ({ id: "good" }) }))).answer).toMatchObject({
      structuredContent: { id: "good" },
    });
    expect((await call(defineTool({ name: "t", output, handle: () => ({ id: "bad" }) }))).answer).toMatchObject({
      code: -32603,
    });
  });

  it("keeps its references and definitions when it is wrapped", async () => {
    const tree = {
      $schema: "https://json-schema.org/draft/2020-12/schema",
      $id: "https://example.com/trees",
      type: "array",
      items: { $ref: "#/$defs/node" },
      $defs: { node: { type: "object", properties: { next: { $ref: "#" }, first: { $ref: "#/items" } } } },
    } as const;
    const value = [{ next: [{ next: [] }], first: {} }];
    const tool = defineTool({ name: "t", output: tree, handle: () => value as never });
    const client = await connect(defineServer({ name: "s", version: "1", tools: [tool] }), { revision: "2025-11-25" });
    const [listed] = await client.listTools();
    expect(listed?.outputSchema).toEqual({
      $schema: "https://json-schema.org/draft/2020-12/schema",
      $id: "https://example.com/trees",
      type: "object",
      properties: { result: { type: "array", items: { $ref: "#/$defs/node" } } },
      required: ["result"],
      $defs: {
        node: {
          type: "object",
          properties: { next: { $ref: "#/properties/result" }, first: { $ref: "#/properties/result/items" } },
        },
      },
    });
    const { Ajv2020 } = await import("ajv/dist/2020.js");
    const validate = new Ajv2020().compile(listed?.outputSchema ?? false);
    expect(validate((await client.call("t")).structuredContent)).toBe(true);
    expect(validate({ result: [{ next: 1 }] })).toBe(false);
  });
});
