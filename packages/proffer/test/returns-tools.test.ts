import { Ajv2020 } from "ajv/dist/2020.js";
import { expect, it } from "vitest";
import server from "./fixtures/returns.ts";
import { describeMatrix, type Leg } from "./matrix.ts";
import { EVERY } from "./versions.ts";

const blob = "AAH6/w==";

/** The content of tools without an output schema that is the same in all revisions. */
const CONTENT: Record<string, object[]> = {
  string: [{ type: "text", text: "plain" }],
  empty_string: [{ type: "text", text: "" }],
  promise: [{ type: "text", text: "plain" }],
  number: [{ type: "text", text: "42" }],
  zero: [{ type: "text", text: "0" }],
  boolean: [{ type: "text", text: "false" }],
  bigint: [{ type: "text", text: "12345678901234567890" }],
  null: [{ type: "text", text: "null" }],
  array: [{ type: "text", text: '[1,"two",{"three":3}]' }],
  empty_array: [{ type: "text", text: "[]" }],
  bytes: [{ type: "resource", resource: { uri: "tool:bytes", mimeType: "application/octet-stream", blob } }],
  blob_image: [{ type: "image", data: blob, mimeType: "image/png" }],
  blob_other: [{ type: "resource", resource: { uri: "tool:blob_other", mimeType: "application/pdf", blob } }],
  blob_untyped: [
    { type: "resource", resource: { uri: "tool:blob_untyped", mimeType: "application/octet-stream", blob } },
  ],
  stream_bytes: [
    { type: "resource", resource: { uri: "tool:stream_bytes", mimeType: "application/octet-stream", blob } },
  ],
  stream_node: [
    { type: "resource", resource: { uri: "tool:stream_node", mimeType: "application/octet-stream", blob } },
  ],
  stream_web: [{ type: "resource", resource: { uri: "tool:stream_web", mimeType: "application/octet-stream", blob } }],
  stream_text: [{ type: "text", text: "plain" }],
  image: [{ type: "image", data: blob, mimeType: "image/png" }],
  embed_text: [{ type: "resource", resource: { uri: "returns://terms", mimeType: "text/plain", text: "all of them" } }],
  embed_blob: [{ type: "resource", resource: { uri: "returns://logo", mimeType: "image/png", blob } }],
  list_with_failure: [
    { type: "text", text: "half" },
    { type: "text", text: "the other half is missing" },
  ],
  nothing: [],
};

/** Values that a tool cannot return. */
const IMPOSSIBLE = ["user", "turns", "contents", "contents_meta", "no_contents", "messages", "symbol", "cyclic"];

/** The structured value and the text of each tool with an output schema. */
const DECLARED: Record<string, { value: unknown; text: string }> = {
  string: { value: "plain", text: "plain" },
  empty_string: { value: "", text: "" },
  number: { value: 42, text: "42" },
  zero: { value: 0, text: "0" },
  boolean: { value: false, text: "false" },
  null: { value: null, text: "null" },
  bigint: { value: "12345678901234567890", text: "12345678901234567890" },
  array: { value: [1, "two", { three: 3 }], text: '[1,"two",{"three":3}]' },
  empty_array: { value: [], text: "[]" },
  object: { value: { city: "Lisbon", degrees: 21.5 }, text: '{"city":"Lisbon","degrees":21.5}' },
  stream_text: { value: "plain", text: "plain" },
};

/** The result without the properties that every result of the newest revision has. */
async function call(leg: Leg, name: string): Promise<Record<string, unknown>> {
  const { resultType, _meta, ...rest } = (await leg.client.call(name)) as unknown as Record<string, unknown>;
  const { "io.modelcontextprotocol/serverInfo": info, ...meta } = (_meta ?? {}) as Record<string, unknown>;
  const modern = leg.revision >= "2026-07-28";
  expect(resultType).toBe(modern ? "complete" : undefined);
  expect(info).toEqual(modern ? { name: "returns", version: "1.0.0" } : undefined);
  return _meta === undefined || (modern && Object.keys(meta).length === 0) ? rest : { ...rest, _meta: meta };
}

describeMatrix({ server, module: "returns.ts" }, EVERY, (leg) => {
  const { revision } = leg;
  const structures = revision >= "2025-06-18";
  const anyValue = revision >= "2026-07-28";

  it.each(Object.entries(CONTENT))("a tool may return %s", async (name, content) => {
    expect(await call(leg, name)).toEqual({ content });
  });

  it.each([
    ["object", { city: "Lisbon", degrees: 21.5 }],
    ["empty_object", {}],
  ])(
    "a tool that returns %s sends it as text, and as structured content if the revision has it",
    async (name, value) => {
      expect(await call(leg, name)).toEqual({
        content: [{ type: "text", text: JSON.stringify(value) }],
        ...(structures ? { structuredContent: value } : {}),
      });
    },
  );

  it.each(Object.entries(DECLARED))("a tool with an output schema may return %s", async (name, { value, text }) => {
    const structuredContent = anyValue ? value : { result: value };
    expect(await call(leg, `declared_${name}`)).toEqual({
      content: [{ type: "text", text }],
      ...(structures ? { structuredContent } : {}),
    });
  });

  it("a tool whose output schema is an object sends it unwrapped", async () => {
    expect(await call(leg, "declared_city")).toEqual({
      content: [{ type: "text", text: '{"city":"Lisbon"}' }],
      ...(structures ? { structuredContent: { city: "Lisbon" } } : {}),
    });
  });

  it("the output schema is listed if the revision has it, and wrapped if it must be an object", async () => {
    const tools = await leg.client.listTools();
    const schemaOf = (name: string) => tools.find((tool) => tool.name === name)?.outputSchema;
    const type = ["object", "array", "string", "number", "boolean", "null"];
    const any = { type, properties: {}, items: {} };
    const wrapped = { type: "object", properties: { result: any }, required: ["result"] };
    expect(schemaOf("declared_string")).toEqual(structures ? (anyValue ? any : wrapped) : undefined);
    const city = { type: "object", properties: { city: { type: "string" } }, required: ["city"] };
    expect(schemaOf("declared_city")).toEqual(structures ? city : undefined);
    expect(schemaOf("string")).toBeUndefined();
  });

  if (structures)
    it("a structured result matches the listed schema", async () => {
      const ajv = new Ajv2020({ strict: false });
      const declared = (await leg.client.listTools()).filter(({ name }) => name.slice("declared_".length) in DECLARED);
      expect(declared.length).toBe(Object.keys(DECLARED).length);
      for (const { name, outputSchema } of declared) {
        const { structuredContent } = await leg.client.call(name);
        expect(ajv.validate(outputSchema ?? false, structuredContent)).toBe(true);
      }
    });

  it("a tool may return text with annotations and metadata, including zeros", async () => {
    const annotations = { priority: 0, audience: ["user"] };
    expect(await call(leg, "text")).toEqual({
      content: [{ type: "text", text: "told", annotations, ...(structures ? { _meta: { "test/k": 1 } } : {}) }],
    });
  });

  it.each(["audio", "blob_audio"])("a tool may return %s; the oldest revision gets it embedded", async (name) => {
    const embedded = { type: "resource", resource: { uri: "audio:embedded", mimeType: "audio/wav", blob } };
    const content = revision === "2024-11-05" ? embedded : { type: "audio", data: blob, mimeType: "audio/wav" };
    expect(await call(leg, name)).toEqual({ content: [content] });
  });

  it("a tool may return an embedded resource with the metadata and annotations of the revision", async () => {
    const resource = { uri: "returns://terms", text: "all of them" };
    const whole = {
      type: "resource",
      resource: { ...resource, _meta: { "test/k": 1 } },
      annotations: { priority: 1, lastModified: "2026-07-28T00:00:00Z" },
      _meta: { "test/k": 2 },
    };
    const plain = { type: "resource", resource, annotations: { priority: 1 } };
    expect(await call(leg, "embed_meta")).toEqual({ content: [structures ? whole : plain] });
  });

  it("a tool may return a link; revisions without links get its text", async () => {
    const asLink = { type: "resource_link", uri: "returns://terms", name: "Terms", description: "Read them.", size: 0 };
    const asText = { type: "text", text: "Terms: Read them. (returns://terms)" };
    expect(await call(leg, "link")).toEqual({ content: [structures ? asLink : asText] });
  });

  it("a tool may return a list of contents", async () => {
    const link = { type: "resource_link", uri: "returns://terms", name: "Terms" };
    expect(await call(leg, "contents_list")).toEqual({
      content: [
        { type: "text", text: "one" },
        { type: "image", data: "AAEC", mimeType: "image/gif" },
        structures ? link : { type: "text", text: "Terms (returns://terms)" },
      ],
    });
  });

  it.each([
    ["result_string", [{ type: "text", text: "plain" }], undefined, false],
    ["result_object", [{ type: "text", text: '{"city":"Lisbon"}' }], { city: "Lisbon" }, 0],
    ["result_blob", [{ type: "image", data: blob, mimeType: "image/png" }], undefined, null],
  ])("a tool may return %s: the value with that metadata", async (name, content, structuredContent, mark) => {
    expect(await call(leg, name)).toEqual({
      content,
      ...(structures && structuredContent ? { structuredContent } : {}),
      _meta: { "test/k": mark },
    });
  });

  it.each(["fail", "tool_error", "rejected_tool_error", "declared_fail", "declared_tool_error"])(
    "%s shows the model the error",
    async (name) => {
      expect(await call(leg, name)).toEqual({
        content: [{ type: "text", text: "The bird has flown." }],
        isError: true,
      });
    },
  );

  it.each(["error", "rejection", "thrown_string", "declared_error"])(
    "%s hides details from the model",
    async (name) => {
      expect(await call(leg, name)).toEqual({
        content: [{ type: "text", text: `Tool "${name}" failed.` }],
        isError: true,
      });
    },
  );

  it("a thrown NotFound is an error with the code of the revision", async () => {
    const code = revision >= "2026-07-28" ? -32602 : -32002;
    await expect(leg.client.call("not_found")).rejects.toMatchObject({ code, message: "There is no such bird." });
  });

  it("a thrown InvalidParams is an error with its data", async () => {
    await expect(leg.client.call("invalid_params")).rejects.toMatchObject({
      code: -32602,
      message: "The bird needs a name.",
      data: { field: "name" },
    });
  });

  it.each(IMPOSSIBLE)("a tool cannot return %s", async (name) => {
    await expect(leg.client.call(name)).rejects.toMatchObject({ code: -32603 });
  });

  it.each(["nothing", "text", "contents_list", "image", "bytes", "blob_image"])(
    "a tool with an output schema cannot return %s, which is not a plain value",
    async (name) => {
      await expect(leg.client.call(`declared_${name}`)).rejects.toMatchObject({
        code: -32603,
        message: `Tool "declared_${name}" returned no value, but has an output schema.`,
      });
    },
  );
});
