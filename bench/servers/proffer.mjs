// Proffer, from its built files. Modes over HTTP: stateless | session.
import { defineResource, defineServer, defineTool } from "proffer";
import {
  definitionOf,
  dialogueText,
  positionOf,
  QUESTIONS,
  questionText,
  rowAt,
  TOOL_TEXTS,
} from "../workload/definition.mjs";
import { JSON_SCHEMAS, QUESTION_SCHEMA } from "../workload/json-schemas.mjs";

const [transport, mode, profile] = process.argv.slice(2);
const definition = definitionOf(profile);

const server = defineServer({
  name: "proffer",
  version: "1.0.0",
  keys: [new Uint8Array(32).fill(7)],
  tools: definition.tools.map(toTool),
  resources: [
    ...definition.resources.map(toResource),
    ...definition.templates.filter(({ name }) => name !== "docs").map(toTemplate),
    ...(definition.rows === undefined ? [] : [rows(definition.rows)]),
    ...(definition.folder === undefined ? [] : [await documents(definition.folder)]),
  ],
});

function toTool({ name, description, kind }) {
  const input = JSON_SCHEMAS[kind];
  if (kind === "dialogue") return defineTool({ name, description, input, handle: dialogue });
  if (kind === "touch") return defineTool({ name, description, input, handle: touch });
  const handle = async (args) => TOOL_TEXTS[kind](args);
  return defineTool({ name, description, input, handle });
}

async function dialogue(_args, ctx) {
  const values = [];
  while (values.length < QUESTIONS) {
    const { content } = await ctx.ask(questionText(values.length), QUESTION_SCHEMA);
    values.push(content.value);
  }
  return dialogueText(values);
}

function touch() {
  server.notify("text://1k");
  return "told";
}

function toResource({ uri, name, mimeType, text, bytes, compute }) {
  if (compute !== undefined) return defineResource({ uri, name, mimeType, read: async () => compute() });
  return defineResource({ uri, name, mimeType, content: text ?? bytes });
}

function toTemplate({ name, uriTemplate, mimeType, read }) {
  return defineResource({ uri: uriTemplate, name, mimeType, read: ({ id }) => read(id) });
}

/** A list that is generated while it is read. */
function rows(count) {
  return defineResource({
    uri: "row://{id}",
    name: "Row",
    mimeType: "text/plain",
    *list({ after }) {
      for (let i = after === undefined ? 0 : positionOf(after) + 1; i < count; i++) yield rowAt(i);
    },
    read: ({ id }) => `row ${id}`,
  });
}

async function documents(folder) {
  const { files } = await import("proffer/files");
  return files(folder, { uri: "docs://" });
}

if (transport === "stdio") {
  const { serveStdio } = await import("proffer/stdio");
  await serveStdio(server);
} else {
  const { serveHttp } = await import("proffer/http");
  const sessions = mode === "session" ? { max: 100_000 } : false;
  await serveHttp(server, { port: Number(process.env.PORT), host: "127.0.0.1", path: "/mcp", sessions });
}
