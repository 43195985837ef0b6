import { toStandardJsonSchema } from "@valibot/to-json-schema";
import { type } from "arktype";
import { defineServer, defineTool, type SchemaLike, type Tool } from "proffer";
import { ajvSchema } from "proffer/ajv";
import { connect } from "proffer/testing";
import * as v from "valibot";
import { describe, expect, expectTypeOf, it } from "vitest";
import { z } from "zod";

/** The same form in each schema library. */
type Form = { name: string; age?: number; tags: ("bird" | "bee")[] };

const plain = {
  type: "object",
  properties: {
    name: { type: "string", minLength: 1 },
    age: { type: "integer", minimum: 0 },
    tags: { type: "array", items: { enum: ["bird", "bee"] } },
  },
  required: ["name", "tags"],
} as const;

const zod = z.object({
  name: z.string().min(1),
  age: z.int().min(0).optional(),
  tags: z.array(z.enum(["bird", "bee"])),
});

const ark = type({ name: "string >= 1", "age?": "number.integer >= 0", tags: "('bird' | 'bee')[]" });

const valibotForm = v.object({
  name: v.pipe(v.string(), v.minLength(1)),
  age: v.optional(v.pipe(v.number(), v.integer(), v.minValue(0))),
  tags: v.array(v.picklist(["bird", "bee"])),
});
const valibot = toStandardJsonSchema(valibotForm);

const schemas: Record<string, SchemaLike> = { plain, zod, ark, valibot, ajv: ajvSchema(plain) };

function serve(...tools: Tool[]) {
  const logged: unknown[] = [];
  const server = defineServer({ name: "s", version: "1", tools, log: (entry) => logged.push(entry.error) });
  return { server, logged };
}

async function callWith(input: SchemaLike, given: unknown) {
  const received: unknown[] = [];
  const tool = defineTool({ name: "t", input, handle: (value) => void received.push(value) });
  const client = await connect(serve(tool as Tool).server);
  const { isError, content } = await client.call("t", given as never);
  const text = content.map((block) => ("text" in block ? block.text : "")).join("");
  return { isError, text, received };
}

describe("a union of objects of a schema library as input", () => {
  const input = z.discriminatedUnion("kind", [
    z.object({ kind: z.literal("circle"), radius: z.number() }),
    z.object({ kind: z.literal("square"), side: z.number() }),
  ]);

  it("is listed as one object", async () => {
    const client = await connect(serve(defineTool({ name: "t", input, handle: () => "" }) as Tool).server);
    const [tool] = await client.listTools();
    expect(tool?.inputSchema).toMatchObject({
      type: "object",
      properties: { kind: { enum: ["circle", "square"] } },
      required: ["kind"],
    });
    expect(tool?.inputSchema).not.toHaveProperty("oneOf");
  });

  it("is validated as a union", async () => {
    expect((await callWith(input, { kind: "circle", radius: 2 })).received).toEqual([{ kind: "circle", radius: 2 }]);
    expect(await callWith(input, { kind: "circle", side: 2 })).toMatchObject({ isError: true, received: [] });
  });

  it("is refused if an alternative is not an object", () => {
    expect(() => defineTool({ name: "t", input: z.union([z.object({}), z.string()]), handle: () => "" })).toThrow(
      "must describe an object",
    );
  });
});

describe.each(Object.entries(schemas))("an input schema of %s", (_library, input) => {
  it("is published as JSON Schema", async () => {
    const client = await connect(serve(defineTool({ name: "t", input, handle: () => "" }) as Tool).server);
    const [tool] = await client.listTools();
    expect(tool?.inputSchema).toMatchObject({
      type: "object",
      properties: { name: { type: "string", minLength: 1 }, tags: { type: "array" } },
      required: expect.arrayContaining(["name", "tags"]),
    });
    expect(tool?.inputSchema).not.toHaveProperty("$schema");
  });

  it("accepts valid input", async () => {
    const form: Form = { name: "Ada", age: 0, tags: ["bee", "bird"] };
    expect((await callWith(input, form)).received).toEqual([form]);
    expect((await callWith(input, { name: "Ada", tags: [] })).received).toEqual([{ name: "Ada", tags: [] }]);
  });

  it("reports every error with its path, and the handler does not run", async () => {
    const { isError, text, received } = await callWith(input, { name: "", age: -1, tags: ["bird", "cow"] });
    expect(isError).toBe(true);
    const [head, ...lines] = text.split("\n");
    expect(head).toBe('Invalid arguments for tool "t":');
    expect(lines.map((line) => line.slice(0, line.indexOf(":"))).sort()).toEqual(["/age", "/name", "/tags/1"]);
    for (const line of lines) expect(line).toMatch(/^\/\S+: \S+/);
    expect(received).toEqual([]);
  });

  it("rejects missing properties and missing input", async () => {
    for (const given of [{}, undefined]) {
      const { isError, text } = await callWith(input, given);
      expect(isError).toBe(true);
      expect(text).toMatch(/name/);
      expect(text).toMatch(/tags/);
    }
  });
});

describe("the type of a handler's input", () => {
  it("is inferred from each kind of schema", () => {
    defineTool({
      name: "t",
      input: plain,
      handle: (input) => {
        expectTypeOf(input.name).toEqualTypeOf<string>();
        expectTypeOf(input.age).toEqualTypeOf<number | undefined>();
        expectTypeOf(input.tags).toEqualTypeOf<("bird" | "bee")[]>();
        // @ts-expect-error -- the property does not exist
        void input.nothing;
      },
    });
    defineTool({ name: "t", input: zod, handle: (input) => expectTypeOf(input).toEqualTypeOf<z.output<typeof zod>>() });
    defineTool({ name: "t", input: ark, handle: (input) => expectTypeOf(input).toEqualTypeOf<typeof ark.infer>() });
    defineTool({
      name: "t",
      input: valibot,
      handle: (input) => expectTypeOf(input).toEqualTypeOf<v.InferOutput<typeof valibotForm>>(),
    });
    defineTool({
      name: "t",
      input: ajvSchema(plain),
      handle: (input) => expectTypeOf(input.tags).toEqualTypeOf<("bird" | "bee")[]>(),
    });
    defineTool({ name: "t", handle: (input) => expectTypeOf(input).toEqualTypeOf<Record<string, never>>() });
  });

  it("is the output of the schema", async () => {
    const input = z.object({ count: z.coerce.number().default(7), at: z.string().transform((text) => text.length) });
    const seen: unknown[] = [];
    const tool = defineTool({
      name: "t",
      input,
      handle: (value) => {
        expectTypeOf(value).toEqualTypeOf<{ count: number; at: number }>();
        seen.push(value);
      },
    });
    const client = await connect(serve(tool).server);
    await client.call("t", { at: "four" });
    expect(seen).toEqual([{ count: 7, at: 4 }]);
  });

  it("may be validated asynchronously", async () => {
    const input = z.object({ id: z.string().refine(async (id) => id !== "taken", "is taken") });
    expect((await callWith(input, { id: "free" })).received).toEqual([{ id: "free" }]);
    expect((await callWith(input, { id: "taken" })).text).toContain("/id: is taken");
  });
});

describe("the path of an error", () => {
  it.each([
    ["plain", { type: "object", properties: { "a/b": { type: "object", properties: { "~c": { type: "number" } } } } }],
    ["zod", z.object({ "a/b": z.object({ "~c": z.number() }) })],
  ] as [string, SchemaLike][])("is an escaped JSON pointer (%s)", async (_library, input) => {
    expect((await callWith(input, { "a/b": { "~c": "x" } })).text).toContain("/a~1b/~0c: ");
  });

  it("is the root for an error of the whole value", async () => {
    const input = z.object({ from: z.number(), to: z.number() }).refine(({ from, to }) => from <= to, "from > to");
    expect((await callWith(input, { from: 2, to: 1 })).text).toContain("/: from > to");
  });
});

describe("an unsupported schema", () => {
  const refused = (input: unknown) => () => defineTool({ name: "t", input: input as SchemaLike, handle: () => "" });

  it.each([
    ["valibot without its adapter", v.object({}), /toStandardJsonSchema\(\) from @valibot\/to-json-schema/],
    ["a date of zod", z.object({ at: z.date() }), /zod cannot convert this schema to JSON Schema/],
    [
      "a library without JSON Schema",
      { "~standard": { version: 1, vendor: "x", validate: () => ({ value: 1 }) } },
      /x schema cannot be converted to JSON Schema/,
    ],
    ["a schema that does not describe an object", z.string(), /must describe an object/],
    ["a written union of objects", { oneOf: [{ type: "object" }] }, "must describe an object"],
    ["a JSON Schema without a type", {}, /must describe an object/],
    ["a list", [], /must be a JSON Schema object or a Standard Schema/],
    ["null", null, /must be a JSON Schema object or a Standard Schema/],
    ["a text", "string", /must be a JSON Schema object or a Standard Schema/],
    ["an unknown type", { type: "object", properties: { a: { type: "text" } } }, /#\/properties\/a\/type/],
  ])("is rejected when the tool is defined: %s", (_what, input, message) => {
    expect(refused(input)).toThrow(expect.objectContaining({ name: "UsageError", code: "bad_schema" }));
    expect(refused(input)).toThrow(/^Tool "t"/);
    expect(refused(input)).toThrow(message);
  });

  it.each(["file:///etc/passwd", "http://169.254.169.254/", "other.json"])("is never fetched: %s", ($ref) => {
    const input = { type: "object", properties: { a: { $ref } } };
    expect(refused(input)).toThrow(expect.objectContaining({ code: "unsupported_keyword" }));
    expect(refused(input)).toThrow(/never fetched/);
  });

  it("is rejected for a keyword that the built-in validator does not support, with a reference to proffer/ajv", () => {
    const input = { type: "object", properties: {}, unevaluatedProperties: false };
    expect(refused(input)).toThrow(expect.objectContaining({ code: "unsupported_keyword" }));
    expect(refused(input)).toThrow(/unevaluatedProperties.*proffer\/ajv/s);
  });

  it("is rejected for a pattern with a back reference, unless the author sets unsafePattern", () => {
    const withPattern = (more: object) => ({
      type: "object",
      properties: { a: { type: "string", pattern: "^(a+)\\1$", ...more } },
    });
    expect(refused(withPattern({}))).toThrow(expect.objectContaining({ code: "unsafe_pattern" }));
    expect(refused(withPattern({ unsafePattern: true }))).not.toThrow();
  });
});

describe("the ajv adapter", () => {
  it("supports keywords that the built-in validator does not", async () => {
    const input = ajvSchema({
      type: "object",
      properties: { a: { type: "string", format: "ipv4" } },
      unevaluatedProperties: false,
    });
    expect((await callWith(input, { a: "127.0.0.1" })).received).toEqual([{ a: "127.0.0.1" }]);
    const { text } = await callWith(input, { a: "localhost", b: 1 });
    expect(text).toContain('/a: must match format "ipv4"');
    expect(text).toContain("/: must NOT have unevaluated properties");
  });

  it("separates two schemas with the same $id", async () => {
    const one = ajvSchema({ $id: "https://example.com/x", type: "object", required: ["one"] });
    const two = ajvSchema({ $id: "https://example.com/x", type: "object", required: ["two"] });
    expect((await callWith(one, { one: 1 })).received).toHaveLength(1);
    expect((await callWith(two, { two: 2 })).received).toHaveLength(1);
  });

  it("rejects a schema that ajv rejects", () => {
    expect(() => ajvSchema({ type: "nonsense" })).toThrow(expect.objectContaining({ code: "bad_schema" }));
  });
});
