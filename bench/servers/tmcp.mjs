// tmcp. Over HTTP behind @remix-run/node-fetch-server, as in its README; it answers both eras, always with events.
import { createHmac, timingSafeEqual } from "node:crypto";
import { ZodJsonSchemaAdapter } from "@tmcp/adapter-zod";
import { McpServer } from "tmcp";
import {
  contentsOf,
  definitionOf,
  dialogueText,
  QUESTIONS,
  questionText,
  TOOL_TEXTS,
  textResult,
} from "../workload/definition.mjs";
import { QUESTION, SCHEMAS } from "../workload/schemas.mjs";

const KEY = Buffer.alloc(32, 7);
const SIGNATURE_LENGTH = 43;
const [transport, , profile] = process.argv.slice(2);
const { tools, resources, templates } = definitionOf(profile);

/** Signs the state, which is plain JSON by default, to protect it like the other servers do. */
const SIGNED = {
  encode(state) {
    const text = JSON.stringify(state);
    return sign(text) + text;
  },
  decode(token) {
    const text = token.slice(SIGNATURE_LENGTH);
    if (!timingSafeEqual(Buffer.from(sign(text)), Buffer.from(token.slice(0, SIGNATURE_LENGTH)))) {
      throw new Error("forged");
    }
    return JSON.parse(text);
  },
};

const server = new McpServer(
  { name: "tmcp", version: "1.0.0", description: "bench" },
  { adapter: new ZodJsonSchemaAdapter(), capabilities: { tools: {}, resources: {} }, requestStateCodec: SIGNED },
);
for (const { name, description, kind } of tools) {
  const handle = kind === "dialogue" ? dialogue : async (args) => textResult(TOOL_TEXTS[kind](args));
  server.tool({ name, description, schema: SCHEMAS[kind], replayable: true }, handle);
}
for (const resource of resources) {
  const { uri, name, mimeType } = resource;
  server.resource({ uri, name, mimeType }, async () => ({ contents: [contentsOf(resource)] }));
}
for (const { name, uriTemplate, mimeType, read } of templates) {
  server.template({ name, description: name, uri: uriTemplate }, async (uri, { id }) => ({
    contents: [{ uri, mimeType, text: await read(id) }],
  }));
}

function sign(text) {
  return createHmac("sha256", KEY).update(text).digest("base64url");
}

async function dialogue() {
  const values = [];
  while (values.length < QUESTIONS) {
    const { content } = await server.elicitation(questionText(values.length), QUESTION);
    values.push(content.value);
  }
  return textResult(dialogueText(values));
}

if (transport === "stdio") {
  const { StdioTransport } = await import("@tmcp/transport-stdio");
  new StdioTransport(server).listen();
} else {
  const { createServer } = await import("node:http");
  const { createRequestListener } = await import("@remix-run/node-fetch-server");
  const { HttpTransport } = await import("@tmcp/transport-http");
  const endpoint = new HttpTransport(server, { path: "/mcp" });
  const respond = async (request) => (await endpoint.respond(request)) ?? new Response(null, { status: 404 });
  createServer(createRequestListener(respond)).listen(Number(process.env.PORT), "127.0.0.1");
}
