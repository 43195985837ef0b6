import { defineServer, defineTool, result, text } from "proffer";
import { connect } from "proffer/testing";
import { describe, expect, it } from "vitest";
import { EVERY } from "./versions.ts";

async function call(value: unknown, revision = "2026-07-28", output?: object) {
  const tool = defineTool({
    name: "t",
    handle: () => value as never,
    ...(output && { output: output as { type: "object" } }),
  });
  const client = await connect(defineServer({ name: "s", version: "1", tools: [tool] }), { revision });
  return client.call("t");
}

const hello = { type: "text", text: "Hello." };
const png = { type: "image", data: "iVBORw==", mimeType: "image/png" };
const link = { type: "resource_link", uri: "a://b", name: "b" };

describe.each(EVERY)("a tool that returns a whole result in %s", (revision) => {
  const isStructured = revision >= "2025-06-18";

  it("sends it unchanged", async () => {
    expect(await call({ content: [hello, png] }, revision)).toMatchObject({ content: [hello, png] });
    expect((await call({ content: [hello, png] }, revision)).structuredContent).toBeUndefined();
    expect(await call(Promise.resolve({ content: [] }), revision)).toMatchObject({ content: [] });
  });

  it("sends its structured content, flag and metadata, in the form of the revision", async () => {
    const whole = { content: [hello], structuredContent: { a: 1 }, isError: true, _meta: { "test/a": 1 } };
    const sent = await call(whole, revision);
    expect(sent).toMatchObject({ content: [hello], isError: true, _meta: { "test/a": 1 } });
    expect(sent.structuredContent).toEqual(isStructured ? { a: 1 } : undefined);
    const { structuredContent } = await call({ content: [], structuredContent: [1] }, revision);
    const wrapped = isStructured ? { result: [1] } : undefined;
    expect(structuredContent).toEqual(revision >= "2026-07-28" ? [1] : wrapped);
  });

  it("ignores undefined properties", async () => {
    const whole = { content: [hello], structuredContent: undefined, isError: undefined, _meta: undefined };
    const sent = await call(whole, revision);
    expect(sent).toMatchObject({ content: [hello] });
    expect(sent.structuredContent).toBeUndefined();
  });

  it("converts its blocks for revisions without them", async () => {
    const { content } = await call({ content: [link] }, revision);
    expect(content).toEqual([isStructured ? link : { type: "text", text: "b (a://b)" }]);
  });
});

describe("a whole result", () => {
  it.each([
    ["an audio clip", { type: "audio", data: "", mimeType: "audio/wav" }],
    ["a link", link],
    ["an embedded text", { type: "resource", resource: { uri: "a://b", text: "" } }],
    ["embedded bytes", { type: "resource", resource: { uri: "a://b", blob: "" } }],
    ["annotations and metadata", { ...hello, annotations: { priority: 1 }, _meta: { "test/a": 1 } }],
    ["a block of text()", text("Hello.")],
  ])("may contain %s", async (_what, block) => {
    expect(await call({ content: [block] })).toMatchObject({ content: [block] });
  });

  it("may be the value of result()", async () => {
    const sent = await call(result({ content: [hello] }, { _meta: { "test/a": 1 } }));
    expect(sent).toMatchObject({ content: [hello], _meta: { "test/a": 1 } });
  });

  it.each([
    ["has another property", { content: [hello], total: 1 }],
    ["has no list of content", { content: "Hello." }],
    ["has content with a text", { content: ["Hello."] }],
    ["has a block of no known type", { content: [hello, { type: "chapter", text: "" }] }],
    ["has a block with the type of an inherited property", { content: [{ type: "constructor" }] }],
    ["has a text without text", { content: [{ type: "text" }] }],
    ["has an image without a type", { content: [{ type: "image", data: "" }] }],
    ["has an image of bytes", { content: [{ type: "image", data: new Uint8Array(1), mimeType: "image/png" }] }],
    ["has a link without a name", { content: [{ type: "resource_link", uri: "a://b" }] }],
    ["has a resource without contents", { content: [{ type: "resource", resource: { uri: "a://b" } }] }],
    ["has a resource without a URI", { content: [{ type: "resource", resource: { text: "" } }] }],
    ["has annotations that are a list", { content: [{ ...hello, annotations: [] }] }],
    ["has metadata that is a text", { content: [hello], _meta: "x" }],
    ["has metadata of a block that is a text", { content: [{ ...hello, _meta: "x" }] }],
    ["has a flag that is a text", { content: [hello], isError: "no" }],
    ["is inside of a list", [{ content: [hello] }]],
  ])("is data if it %s", async (_what, value) => {
    const { content, isError } = await call(value);
    expect(content).toEqual([{ type: "text", text: JSON.stringify(value) }]);
    expect(isError).toBeUndefined();
  });

  it("is data if the tool has an output schema", async () => {
    const value = { content: [hello] };
    const sent = await call(value, "2026-07-28", { type: "object" });
    expect(sent).toMatchObject({ content: [{ text: JSON.stringify(value) }], structuredContent: value });
  });
});
