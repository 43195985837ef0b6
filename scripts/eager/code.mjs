// A server in code with an item of each kind.
import { definePrompt, defineResource, defineServer, defineTool } from "proffer";
import { serveStdio } from "proffer/stdio";

const names = { type: "array", items: { type: "string" } };
const input = { type: "object", properties: { names }, required: ["names"], additionalProperties: false };

const server = defineServer({
  name: "code",
  version: "1.0.0",
  tools: [defineTool({ name: "greet", description: "Greets.", input, handle: ({ names }) => `Hello, ${names}` })],
  prompts: [definePrompt({ name: "letter", arguments: { name: {} }, get: ({ name }) => `Write to ${name}` })],
  resources: [
    defineResource({ uri: "note://first", name: "first", content: "A note" }),
    defineResource({ uri: "note://{id}", name: "note", read: ({ id }) => `Note ${id}` }),
  ],
});
await serveStdio(server);
