import { setTimeout as pause } from "node:timers/promises";
import { audio, defineTool, embed, fail, image, text } from "proffer";
import { png, wav } from "./media.ts";

/** Milliseconds between notifications: the suite expects them one by one. */
const STEP = 50;

const address = {
  $anchor: "addressDef",
  type: "object",
  properties: { street: { type: "string" }, city: { type: "string" } },
} as const;

const contact = {
  $schema: "https://json-schema.org/draft/2020-12/schema",
  type: "object",
  $defs: { address },
  properties: {
    name: { type: "string" },
    address: { $ref: "#/$defs/address" },
    contactMethod: { type: "string", enum: ["phone", "email"] },
    phone: { type: "string" },
    email: { type: "string" },
  },
  allOf: [{ anyOf: [{ required: ["phone"] }, { required: ["email"] }] }],
  if: { properties: { contactMethod: { const: "phone" } }, required: ["contactMethod"] },
  // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema
  then: { required: ["phone"] },
  else: { required: ["email"] },
  additionalProperties: false,
} as const;

const region = {
  type: "object",
  properties: { region: { type: "string", "x-mcp-header": "Region" }, level: { type: "integer" } },
} as const;

export const tools = [
  defineTool({
    name: "test_simple_text",
    description: "Answers with a text.",
    handle: () => "This is a simple text response for testing.",
  }),
  defineTool({
    name: "test_image_content",
    description: "Answers with a picture.",
    handle: () => image(png, "image/png"),
  }),
  defineTool({
    name: "test_audio_content",
    description: "Answers with a sound.",
    handle: () => audio(wav, "audio/wav"),
  }),
  defineTool({
    name: "test_embedded_resource",
    description: "Answers with a resource.",
    handle: () =>
      embed({
        uri: "test://embedded-resource",
        mimeType: "text/plain",
        text: "This is an embedded resource content.",
      }),
  }),
  defineTool({
    name: "test_multiple_content_types",
    description: "Answers with a text, a picture and a resource.",
    handle: () => [
      text("Multiple content types test:"),
      image(png, "image/png"),
      embed({
        uri: "test://mixed-content-resource",
        mimeType: "application/json",
        text: JSON.stringify({ test: "data", value: 123 }),
      }),
    ],
  }),
  defineTool({
    name: "test_tool_with_logging",
    description: "Logs three messages before it answers.",
    async handle(_input, ctx) {
      ctx.log("info", "Tool execution started");
      await pause(STEP);
      ctx.log("info", "Tool processing data");
      await pause(STEP);
      ctx.log("info", "Tool execution completed");
      return "Logged three messages.";
    },
  }),
  defineTool({
    name: "test_logging_tool",
    description: "Logs one message before it answers.",
    handle(_input, ctx) {
      ctx.log("info", "A message for those who want it");
      return "Logged one message.";
    },
  }),
  defineTool({
    name: "test_tool_with_progress",
    description: "Tells of its progress before it answers.",
    async handle(_input, ctx) {
      for (const done of [0, 50, 100]) {
        ctx.progress(done, 100, `${done} of 100`);
        await pause(STEP);
      }
      return "Told of three steps.";
    },
  }),
  defineTool({
    name: "test_error_handling",
    description: "Fails.",
    handle: () => fail("This tool intentionally returns an error for testing"),
  }),
  defineTool({
    name: "test_missing_capability",
    description: "Works only for clients that can sample.",
    requires: ["sampling"],
    handle: () => "This client can sample.",
  }),
  defineTool({
    name: "test_reconnection",
    description: "Lets the connection go before it answers.",
    async handle(_input, ctx) {
      ctx.detach();
      await pause(2 * STEP);
      return "Answered after the connection had gone.";
    },
  }),
  defineTool({
    name: "json_schema_2020_12_tool",
    description: "Takes what only the newer dialect of JSON Schema can describe.",
    input: contact,
    handle: (input) => JSON.stringify(input),
  }),
  defineTool({
    name: "test_x_mcp_header",
    description: "Has an argument that clients repeat in a header.",
    input: region,
    handle: (input) => JSON.stringify(input),
  }),
];
