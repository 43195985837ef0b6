import { toStandardJsonSchema } from "@valibot/to-json-schema";
import { type } from "arktype";
import {
  defineServer,
  defineTool,
  field,
  type SchemaLike,
  type ServerOptions,
  type StandardSchema,
  type Tool,
} from "proffer";
import { ajvSchema } from "proffer/ajv";
import { createFetchHandler } from "proffer/fetch";
import { connect } from "proffer/testing";
import * as v from "valibot";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { MODERN, modern, modernHeaders } from "./http/http-client.ts";

const plain = {
  type: "object",
  properties: {
    count: { type: "integer", minimum: 0 },
    loud: { type: "boolean" },
    size: { type: "object", properties: { width: { type: "number" } }, required: ["width"] },
    tags: { type: "array", items: { type: "string" } },
    name: { type: "string" },
  },
} as const;

const zod = z.object({
  count: z.int().min(0).optional(),
  loud: z.boolean().optional(),
  size: z.object({ width: z.number() }).optional(),
  tags: z.array(z.string()).optional(),
  name: z.string().optional(),
});

const ark = type({
  "count?": "number.integer >= 0",
  "loud?": "boolean",
  "size?": { width: "number" },
  "tags?": "string[]",
  "name?": "string",
});

const valibot = v.object({
  count: v.optional(v.pipe(v.number(), v.integer(), v.minValue(0))),
  loud: v.optional(v.boolean()),
  size: v.optional(v.object({ width: v.number() })),
  tags: v.optional(v.array(v.string())),
  name: v.optional(v.string()),
});

const schemas: Record<string, SchemaLike> = {
  plain,
  zod,
  "zod with an asynchronous check": zod.refine(async () => true),
  arktype: ark,
  valibot: toStandardJsonSchema(valibot),
  ajv: ajvSchema(plain),
};

/** Connects a client to a tool `t`, whose inputs are collected. */
async function connectTo(input: SchemaLike, coerce?: boolean, options: Partial<ServerOptions> = {}) {
  const received: unknown[] = [];
  const handle = (value: unknown) => void received.push(value);
  const tool = defineTool({ name: "t", input, handle, ...(coerce === undefined ? {} : { coerce }) }) as Tool;
  const client = await connect(defineServer({ name: "s", version: "1", tools: [tool], ...options }));
  return { client, received };
}

/** A schema that counts validations. */
function counting(json: Record<string, unknown>, isValid: (value: never) => boolean) {
  const seen: unknown[] = [];
  const schema: StandardSchema = {
    "~standard": {
      version: 1,
      vendor: "test",
      validate(value) {
        seen.push(value);
        return isValid(value as never) ? { value } : { issues: [{ message: `rejects ${JSON.stringify(value)}` }] };
      },
      jsonSchema: { input: () => json, output: () => json },
    },
  };
  return { schema, seen };
}

describe.each(Object.entries(schemas))("with a schema of %s", (_library, input) => {
  const sent = { count: "3", loud: "false", size: '{"width":"1.5"}', tags: '["1"]', name: "7" };

  it("strings are converted where the schema leaves no other meaning", async () => {
    const { client, received } = await connectTo(input);
    expect(await client.call("t", sent)).toMatchObject({ content: [] });
    expect(received).toEqual([{ count: 3, loud: false, size: { width: 1.5 }, tags: ["1"], name: "7" }]);
  });

  it("invalid arguments are reported as they were sent, and the handler does not run", async () => {
    const { client, received } = await connectTo(input);
    const { isError, content } = await client.call("t", { count: "-3", loud: "true" });
    expect(isError).toBe(true);
    expect(content).toMatchObject([{ text: expect.stringMatching(/\/count: .*\n\/loud: /) }]);
    expect(received).toEqual([]);
  });

  it("coerce: false turns the conversion off", async () => {
    const { client } = await connectTo(input, false);
    expect(await client.call("t", { count: "3" })).toMatchObject({ isError: true });
    const { client: other } = await connectTo(input, undefined, { coerce: false });
    expect(await other.call("t", { count: "3" })).toMatchObject({ isError: true });
    const { client: third, received } = await connectTo(input, true, { coerce: false });
    await third.call("t", { count: "3" });
    expect(received).toEqual([{ count: 3 }]);
  });
});

describe("arguments are validated", () => {
  const number = { type: "object", properties: { n: { type: "number" } } };
  const isNumber = ({ n }: { n: unknown }) => typeof n === "number";

  it.each<[string, unknown, number]>([
    ["once if they are valid", { n: 1 }, 1],
    ["once if nothing can be converted", { n: "x" }, 1],
    ["once more after a conversion", { n: "1" }, 2],
  ])("%s", async (_what, sent, times) => {
    const { schema, seen } = counting(number, isNumber);
    const { client } = await connectTo(schema);
    await client.call("t", sent as object);
    expect(seen).toHaveLength(times);
  });

  it("twice at most, and the error is the first one", async () => {
    const { schema, seen } = counting(number, () => false);
    const { client } = await connectTo(schema);
    expect(await client.call("t", { n: "1" })).toMatchObject({
      isError: true,
      content: [{ text: expect.stringContaining('rejects {"n":"1"}') }],
    });
    expect(seen).toEqual([{ n: "1" }, { n: 1 }]);
  });
});

it("only arguments are converted, not results", async () => {
  const output = { type: "object", properties: { n: { type: "number" } } } as const;
  const tool = defineTool({ name: "t", output, handle: () => ({ n: "1" }) as never });
  const client = await connect(defineServer({ name: "s", version: "1", tools: [tool], log: () => {} }));
  await expect(client.call("t")).rejects.toMatchObject({ code: -32603 });
});

it("only arguments are converted, not answers", async () => {
  const tool = defineTool({
    name: "t",
    handle: async (_, ctx) => (await ctx.ask("How many?", { n: field.integer() })).action,
  });
  const server = defineServer({ name: "s", version: "1", tools: [tool], log: () => {} });
  const client = await connect(server, { answers: [{ n: "1" }] });
  expect(await client.call("t").catch((error) => ({ isError: true, error }))).toMatchObject({ isError: true });
});

it("clients see neither the option nor another schema", async () => {
  const [{ client: lenient }, { client: strict }] = [await connectTo(plain, true), await connectTo(plain, false)];
  expect(await lenient.listTools()).toEqual(await strict.listTools());
});

it("an option that is neither true nor false is an error", () => {
  const coerce = "false" as never;
  const thrown = expect.objectContaining({ code: "bad_option", message: expect.stringContaining("true or false") });
  expect(() => defineTool({ name: "t", coerce, handle: () => "" })).toThrow(thrown);
  expect(() => defineServer({ name: "s", version: "1", coerce })).toThrow(thrown);
});

it("middleware sees the arguments as sent", async () => {
  const seen: unknown[] = [];
  const { client, received } = await connectTo(plain, undefined, {
    middleware: ({ method, params }, next) => {
      const outcome = next();
      if (method === "tools/call") seen.push(params.arguments);
      return outcome;
    },
  });
  await client.call("t", { count: "3" });
  expect({ seen, received }).toEqual({ seen: [{ count: "3" }], received: [{ count: 3 }] });
});

it.each(["2025-11-25", MODERN])(
  "a tool that asks the user gets converted arguments in every run on %s",
  async (revision) => {
    const received: unknown[] = [];
    const tool = defineTool({
      name: "t",
      input: plain,
      async handle({ count }, ctx) {
        received.push(count);
        const { action } = await ctx.ask("Sure?", { sure: field.boolean() });
        return `${action} ${count}`;
      },
    });
    const server = defineServer({ name: "s", version: "1", tools: [tool], log: () => {} });
    const client = await connect(server, { revision, answers: [{ sure: true }] });
    expect(await client.call("t", { count: "3" } as never)).toMatchObject({ content: [{ text: "accept 3" }] });
    expect(new Set(received)).toEqual(new Set([3]));
  },
);

describe("an argument that is mirrored in a header", () => {
  const input = {
    type: "object",
    properties: {
      level: { type: "integer", "x-mcp-header": "Level" },
      where: { type: "object", properties: { tenant: { type: "string", "x-mcp-header": "Tenant" } } },
    },
  } as const;
  const tool = defineTool({ name: "t", input, handle: (value) => value });
  const handler = createFetchHandler(defineServer({ name: "s", version: "1", tools: [tool] }));

  async function call(args: object, headers: Record<string, string>) {
    const message = modern("tools/call", { name: "t", arguments: args });
    const all = { ...modernHeaders(message), ...headers } as Record<string, string>;
    const request = new Request("http://localhost/mcp", {
      method: "POST",
      headers: all,
      body: JSON.stringify(message),
    });
    return (await handler(request)).json();
  }

  it("is compared as sent", async () => {
    const accepted = await call({ level: "5" }, { "mcp-param-level": "5" });
    expect(accepted).toMatchObject({ result: { structuredContent: { level: 5 } } });
    expect(await call({ level: "5" }, { "mcp-param-level": "6" })).toHaveProperty("error");
    expect(await call({ level: "5" }, {})).toHaveProperty("error");
  });

  it("cannot be hidden in the text of an object", async () => {
    const hidden = await call({ where: '{"tenant":"other"}' }, {});
    expect(hidden).toMatchObject({ result: { isError: true, content: [{ text: expect.stringContaining("/where") }] } });
    expect(await call({ where: "{}" }, {})).toMatchObject({ result: { structuredContent: { where: {} } } });
  });
});

describe("the arguments that middleware reads", () => {
  const forced = z.object({ force: z.boolean() });
  const later = forced.refine(async () => true);

  it.each<[string, SchemaLike]>([
    ["at once", forced],
    ["by an asynchronous schema", later],
  ])("are those of the handler, validated once, %s", async (_how, input) => {
    const seen: unknown[] = [];
    let got: unknown;
    const tool = defineTool({
      name: "delete",
      input,
      handle: (given) => {
        got = given;
      },
    });
    const server = defineServer({
      name: "policy",
      version: "1.0.0",
      tools: [tool],
      middleware: async (call, next) => {
        if (call.method === "tools/call") seen.push(await call.arguments, await call.arguments, call.params.arguments);
        return next();
      },
    });
    const client = await connect(server);
    await client.call("delete", { force: "true" });
    expect(seen).toEqual([{ force: true }, { force: true }, { force: "true" }]);
    expect(got).toBe(seen[0]);
    expect(await client.call("delete", { force: "no" })).toMatchObject({ isError: true });
    expect(seen.slice(3)).toEqual([undefined, undefined, { force: "no" }]);
    await client.listTools();
  });
});
