// fastmcp, with JSON answers. Modes over HTTP: stateless | session.
import { FastMCP } from "fastmcp";
import { contentsOf, definitionOf, TOOL_TEXTS, textResult } from "../workload/definition.mjs";
import { SCHEMAS } from "../workload/schemas.mjs";

const [transport, mode, profile] = process.argv.slice(2);
const { tools, resources, templates } = definitionOf(profile);

const quiet = { debug() {}, error() {}, info() {}, log() {}, warn() {} };
const server = new FastMCP({
  name: "fastmcp",
  version: "1.0.0",
  logger: quiet,
  ping: { enabled: false },
  roots: { enabled: false },
});
for (const { name, description, kind } of tools) {
  server.addTool({
    name,
    description,
    parameters: SCHEMAS[kind],
    execute: async (args) => textResult(TOOL_TEXTS[kind](args)),
  });
}
for (const resource of resources) {
  const { uri, name, mimeType } = resource;
  server.addResource({ uri, name, mimeType, load: async () => contentsOf(resource) });
}
for (const { name, uriTemplate, mimeType, read } of templates) {
  server.addResourceTemplate({
    name,
    uriTemplate,
    mimeType,
    arguments: [{ name: "id", required: true }],
    load: async ({ id }) => ({ text: await read(id) }),
  });
}

const httpStream = {
  port: Number(process.env.PORT),
  host: "127.0.0.1",
  stateless: mode === "stateless",
  enableJsonResponse: true,
};
await server.start(transport === "stdio" ? { transportType: "stdio" } : { transportType: "httpStream", httpStream });
