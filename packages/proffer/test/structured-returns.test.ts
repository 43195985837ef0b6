import { defineServer, defineTool, fail, result, text } from "proffer";
import { connect } from "proffer/testing";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { EVERY } from "./versions.ts";

const weather = { celsius: 21, secret: "key" };

const logged: string[] = [];
const server = defineServer({
  name: "worded",
  version: "1.0.0",
  tools: [
    defineTool({ name: "plain", handle: () => result(weather, { content: "It is mild.", _meta: { a: 1 } }) }),
    defineTool({
      name: "declared",
      output: z.object({ celsius: z.number() }),
      handle: async () => result(weather, { content: [text("It is mild."), text("Take a coat.")] }),
    }),
    defineTool({
      name: "list",
      output: { type: "array", items: { type: "number" } },
      handle: () => result([21, 22], { content: text("It gets warmer.") }),
    }),
    defineTool({
      name: "wrong",
      output: { type: "object", properties: { celsius: { type: "number" } } },
      handle: () => result({ celsius: "mild" } as never, { content: "It is mild." }),
    }),
    defineTool({ name: "failed", handle: () => result(fail("No sensor."), { content: "It is mild." }) }),
    defineTool({ name: "unstructured", handle: () => result(21, { content: "It is mild." }) }),
  ],
  log: ({ error }) => logged.push(String((error as Error | undefined)?.cause ?? error)),
});

describe.each(EVERY)("a value with separate content in %s", async (revision) => {
  const client = await connect(server, { revision });
  const isStructured = revision >= "2025-06-18";
  const mild = { type: "text", text: "It is mild." };

  it("is structured content, and the content is shown to the model", async () => {
    const { content, structuredContent, _meta } = await client.call("plain");
    expect(content).toEqual([mild]);
    expect(structuredContent).toEqual(isStructured ? weather : undefined);
    expect(_meta).toMatchObject({ a: 1 });
  });

  it("is the output of its schema, and the content is unchanged", async () => {
    const { content, structuredContent } = await client.call("declared");
    expect(content).toEqual([mild, { type: "text", text: "Take a coat." }]);
    expect(structuredContent).toEqual(isStructured ? { celsius: 21 } : undefined);
  });

  it("may be of any type that the tool declares", async () => {
    const { content, structuredContent } = await client.call("list");
    expect(content).toEqual([{ type: "text", text: "It gets warmer." }]);
    const wrapped = isStructured ? { result: [21, 22] } : undefined;
    expect(structuredContent).toEqual(revision === "2026-07-28" ? [21, 22] : wrapped);
  });

  it("is not sent if it does not match its schema", async () => {
    await expect(client.call("wrong")).rejects.toMatchObject({ code: -32603 });
  });

  it("is replaced by the text of a failure", async () => {
    expect(await client.call("failed")).toMatchObject({ isError: true, content: [{ text: "No sensor." }] });
  });

  it("must be structured, because otherwise it would be lost", async () => {
    await expect(client.call("unstructured")).rejects.toMatchObject({ code: -32603 });
    expect(logged.at(-1)).toContain("content whose value is not structured");
  });
});

describe.each(EVERY)("a failure with structured content in %s", (revision) => {
  const isStructured = revision >= "2025-06-18";
  const failure = fail("No sensor.", { structured: { code: "no_sensor" } });
  const output = { type: "object", properties: { code: { type: "string" } }, additionalProperties: false } as const;
  const serve = (tool: Parameters<typeof defineTool>[0]) => {
    const log: unknown[] = [];
    const tools = [defineTool({ ...tool, name: "t" })];
    return { log, server: defineServer({ name: "s", version: "1", tools, log: (entry) => log.push(entry) }) };
  };
  const structured = (value: unknown) => ({
    content: [{ type: "text", text: "No sensor." }],
    ...(isStructured && { structuredContent: value }),
    isError: true,
  });

  it.each([
    ["a value", { handle: () => failure }],
    ["a promise", { handle: async () => failure }],
    ["a result() with metadata", { handle: () => result(failure, { content: "It is mild." }) }],
    ["a value that matches the output schema", { handle: () => failure, output }],
  ])("is sent for %s", async (_what, tool) => {
    const client = await connect(serve(tool as never).server, { revision });
    expect(await client.call("t")).toMatchObject(structured({ code: "no_sensor" }));
  });

  it.each([
    ["", output],
    [" that is asynchronous", z.object({ celsius: z.number() }).refine(async () => true)],
  ])(
    "is omitted for older clients, which would reject it, if it does not match the output schema%s",
    async (_what, schema) => {
      const tool = { name: "t", output: schema, handle: () => fail("No sensor.", { structured: { a: 1 } }) };
      const { server: own, log } = serve(tool as never);
      const client = await connect(own, { revision });
      const answer = await client.call("t");
      expect(answer).toMatchObject({ isError: true, content: [{ text: "No sensor." }] });
      expect(answer.structuredContent).toEqual(revision >= "2026-07-28" ? { a: 1 } : undefined);
      expect(log).toEqual([]);
    },
  );

  it("is an object where the revision requires one", async () => {
    const client = await connect(serve({ name: "t", handle: () => fail("No.", { structured: [1] }) } as never).server, {
      revision,
    });
    const { structuredContent } = await client.call("t");
    const wrapped = isStructured ? { result: [1] } : undefined;
    expect(structuredContent).toEqual(revision >= "2026-07-28" ? [1] : wrapped);
  });
});
