import { expect, it } from "vitest";
import server from "./fixtures/returns.ts";
import { describeMatrix } from "./matrix.ts";
import { EVERY } from "./versions.ts";

const blob = "AAH6/w==";

/** The contents, without the URI, that are the same in all revisions. */
const CONTENT: Record<string, object> = {
  string: { mimeType: "text/plain", text: "plain" },
  empty_string: { mimeType: "text/plain", text: "" },
  promise: { mimeType: "text/plain", text: "plain" },
  object: { mimeType: "application/json", text: '{"city":"Lisbon","degrees":21.5}' },
  empty_object: { mimeType: "application/json", text: "{}" },
  number: { mimeType: "application/json", text: "42" },
  zero: { mimeType: "application/json", text: "0" },
  boolean: { mimeType: "application/json", text: "false" },
  bigint: { mimeType: "application/json", text: "12345678901234567890" },
  null: { mimeType: "application/json", text: "null" },
  array: { mimeType: "application/json", text: '[1,"two",{"three":3}]' },
  empty_array: { mimeType: "application/json", text: "[]" },
  bytes: { mimeType: "application/octet-stream", blob },
  blob_image: { mimeType: "image/png", blob },
  blob_audio: { mimeType: "audio/wav", blob },
  blob_other: { mimeType: "application/pdf", blob },
  blob_untyped: { mimeType: "application/octet-stream", blob },
  stream_bytes: { mimeType: "application/octet-stream", blob },
  stream_node: { mimeType: "application/octet-stream", blob },
  stream_web: { mimeType: "application/octet-stream", blob },
  stream_text: { mimeType: "text/plain", text: "plain" },
};

const IMPOSSIBLE = [
  ...["text", "image", "audio", "link", "embed_text", "contents_list", "user", "turns", "messages", "result_string"],
  ...["fail", "no_contents", "symbol", "cyclic"],
];

describeMatrix({ server, module: "returns.ts" }, EVERY, (leg) => {
  const { revision } = leg;
  const notFound = revision >= "2026-07-28" ? -32602 : -32002;

  it.each(Object.entries(CONTENT))("a resource may return %s", async (name, content) => {
    for (const uri of [`returns://fixed/${name}`, `returns://template/${name}/7`]) {
      expect((await leg.client.read(uri)).contents).toEqual([{ uri, ...content }]);
    }
  });

  it("a resource may return several contents, each with its URI and type", async () => {
    const { contents } = await leg.client.read("returns://fixed/contents");
    const _meta = revision >= "2025-06-18" ? { _meta: { "test/k": 1 } } : {};
    expect(contents).toEqual([
      { uri: "returns://a", mimeType: "text/plain", text: "A", ..._meta },
      { uri: "returns://b", mimeType: "image/png", blob },
    ]);
  });

  it("a resource may return contents with metadata on the result", async () => {
    const { contents, _meta } = await leg.client.read("returns://fixed/contents_meta");
    expect(contents).toEqual([{ uri: "returns://a", text: "A" }]);
    expect(_meta).toMatchObject({ "test/k": [] });
  });

  it("a fixed URI that returns nothing is an empty text", async () => {
    const uri = "returns://fixed/nothing";
    expect((await leg.client.read(uri)).contents).toEqual([{ uri, mimeType: "text/plain", text: "" }]);
  });

  it("a template that returns nothing is not found", async () => {
    const uri = "returns://template/nothing/7";
    await expect(leg.client.read(uri)).rejects.toMatchObject({ code: notFound, data: { uri } });
  });

  it("an unknown URI is not found", async () => {
    const uri = "returns://nowhere";
    await expect(leg.client.read(uri)).rejects.toMatchObject({ code: notFound, data: { uri } });
  });

  it("a thrown NotFound has the code of the revision and the URI", async () => {
    const uri = "returns://template/not_found/7";
    await expect(leg.client.read(uri)).rejects.toMatchObject({
      code: notFound,
      message: "There is no such bird.",
      data: { uri },
    });
  });

  it("a thrown InvalidParams has the URI and its own data", async () => {
    const uri = "returns://template/invalid_params/7";
    await expect(leg.client.read(uri)).rejects.toMatchObject({
      code: -32602,
      message: "The bird needs a name.",
      data: { uri, field: "name" },
    });
  });

  it.each(["error", "rejection", "thrown_string"])("%s hides details from the client", async (name) => {
    await expect(leg.client.read(`returns://fixed/${name}`)).rejects.toMatchObject({
      code: -32603,
      message: "Internal error.",
    });
  });

  it.each(IMPOSSIBLE)("a resource cannot return %s", async (name) => {
    await expect(leg.client.read(`returns://fixed/${name}`)).rejects.toMatchObject({ code: -32603 });
  });
});
