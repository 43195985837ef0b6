import { type Context, definePrompt, defineResource, defineServer, defineTool, field } from "proffer";
import { connect } from "proffer/testing";
import { describe, expect, it } from "vitest";
import { EVERY } from "./versions.ts";

/** Returns the metadata that the client added to its request. */
const own = ({ meta }: Context) => Object.entries(meta).filter(([key]) => key.startsWith("test/"));

const server = defineServer({
  name: "s",
  version: "1",
  tools: [
    defineTool({ name: "t", handle: (_, ctx) => JSON.stringify(own(ctx)) }),
    defineTool({ name: "frozen", handle: (_, { meta }) => Object.isFrozen(meta) }),
    defineTool({
      name: "asks",
      handle: async (_, ctx) => {
        await ctx.ask("Sure?", { sure: field.boolean() });
        return JSON.stringify(own(ctx));
      },
    }),
  ],
  prompts: [definePrompt({ name: "p", get: (_, ctx) => JSON.stringify(own(ctx)) })],
  resources: [
    defineResource({
      uri: "s://{id}",
      name: "r",
      list: (_, ctx) => own(ctx).map(([key]) => ({ uri: `s://${key.replace("test/", "")}` })),
      read: (_, ctx) => JSON.stringify(own(ctx)),
    }),
  ],
});

describe.each(EVERY)("ctx.meta in %s", (revision) => {
  const _meta = { "test/trace": { id: "7f3a" } };
  const text = '[["test/trace",{"id":"7f3a"}]]';

  it("is the metadata of the request, in every kind of handler", async () => {
    const client = await connect(server, { revision, answers: [{ sure: true }] });
    expect((await client.call("t", undefined, { _meta })).content).toEqual([{ type: "text", text }]);
    expect(await client.request("prompts/get", { name: "p", _meta })).toMatchObject({
      messages: [{ content: { text } }],
    });
    expect(await client.request("resources/read", { uri: "s://1", _meta })).toMatchObject({ contents: [{ text }] });
    expect(await client.request("resources/list", { _meta })).toMatchObject({ resources: [{ uri: "s://trace" }] });
    if (revision >= "2025-06-18") {
      expect((await client.call("asks", undefined, { _meta })).content).toEqual([{ type: "text", text }]);
    }
  });

  it("is empty without metadata, and frozen", async () => {
    const client = await connect(server, { revision });
    expect((await client.call("t")).content).toEqual([{ type: "text", text: "[]" }]);
    expect((await client.call("frozen")).content).toEqual([{ type: "text", text: "true" }]);
    expect((await client.call("frozen", undefined, { _meta })).content).toEqual([{ type: "text", text: "true" }]);
  });
});
