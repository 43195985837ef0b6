import { expect, it } from "vitest";
import server from "./fixtures/returns.ts";
import { describeMatrix } from "./matrix.ts";
import { EVERY } from "./versions.ts";

const blob = "AAH6/w==";

const MESSAGES: Record<string, object[]> = {
  string: [{ role: "user", content: { type: "text", text: "plain" } }],
  empty_string: [{ role: "user", content: { type: "text", text: "" } }],
  promise: [{ role: "user", content: { type: "text", text: "plain" } }],
  image: [{ role: "user", content: { type: "image", data: blob, mimeType: "image/png" } }],
  embed_blob: [
    { role: "user", content: { type: "resource", resource: { uri: "returns://logo", mimeType: "image/png", blob } } },
  ],
  user: [{ role: "user", content: { type: "text", text: "Hello" } }],
  turns: [
    { role: "user", content: { type: "text", text: "Hello" } },
    { role: "assistant", content: { type: "image", data: blob, mimeType: "image/png" } },
    { role: "user", content: { type: "text", text: "And?" } },
  ],
};

const IMPOSSIBLE = [
  ...["object", "number", "boolean", "bigint", "null", "array", "empty_array", "bytes", "blob_image", "nothing"],
  ...["list_with_failure", "contents", "result_string", "fail", "symbol", "cyclic"],
];

describeMatrix({ server, module: "returns.ts" }, EVERY, (leg) => {
  const { revision } = leg;
  const links = revision >= "2025-06-18";

  it.each(Object.entries(MESSAGES))("a prompt may return %s", async (name, messages) => {
    const result = await leg.client.get(name);
    expect(result.messages).toEqual(messages);
    expect(result).not.toHaveProperty("description");
  });

  it("a prompt may return a text with annotations and metadata", async () => {
    const annotations = { priority: 0, audience: ["user"] };
    const content = { type: "text", text: "told", annotations, ...(links ? { _meta: { "test/k": 1 } } : {}) };
    expect((await leg.client.get("text")).messages).toEqual([{ role: "user", content }]);
  });

  it("a prompt may return a list of contents, each as a message; revisions without links get text", async () => {
    const link = { type: "resource_link", uri: "returns://terms", name: "Terms" };
    expect((await leg.client.get("contents_list")).messages).toEqual([
      { role: "user", content: { type: "text", text: "one" } },
      { role: "user", content: { type: "image", data: "AAEC", mimeType: "image/gif" } },
      { role: "user", content: links ? link : { type: "text", text: "Terms (returns://terms)" } },
    ]);
  });

  it("a prompt may return audio; the oldest revision gets it embedded", async () => {
    const embedded = { type: "resource", resource: { uri: "audio:embedded", mimeType: "audio/wav", blob } };
    const content = revision === "2024-11-05" ? embedded : { type: "audio", data: blob, mimeType: "audio/wav" };
    expect((await leg.client.get("audio")).messages).toEqual([{ role: "user", content }]);
  });

  it("a prompt may return messages with a description and metadata", async () => {
    const { description, messages, _meta } = await leg.client.get("messages");
    expect({ description, messages }).toEqual({
      description: "A greeting.",
      messages: [{ role: "user", content: { type: "text", text: "Hello" } }],
    });
    expect(_meta).toMatchObject({ "test/k": "" });
  });

  it.each([
    ["not_found", "There is no such bird."],
    ["invalid_params", "The bird needs a name."],
  ])("a thrown %s is -32602 in every revision", async (name, message) => {
    await expect(leg.client.get(name)).rejects.toMatchObject({ code: -32602, message });
  });

  it.each(["error", "rejection", "thrown_string"])("%s hides details from the client", async (name) => {
    await expect(leg.client.get(name)).rejects.toMatchObject({ code: -32603, message: "Internal error." });
  });

  it.each(IMPOSSIBLE)("a prompt cannot return %s", async (name) => {
    await expect(leg.client.get(name)).rejects.toMatchObject({ code: -32603 });
  });
});
