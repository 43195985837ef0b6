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
