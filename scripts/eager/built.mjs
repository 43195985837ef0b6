// A server as `proffer build` writes it, with an item of each kind.
import { createDerivedServer } from "proffer/built";
import { serveByArguments } from "proffer/stdio";

const description = "An example.";
const binding = (name) => ({
  path: [name],
  parameters: [{ kind: "argument", name: "name" }],
  result: { kind: "value" },
});
const schema = { type: "string" };
const inputSchema = { type: "object", properties: { name: schema }, required: ["name"] };
const variables = [{ name: "name", required: true, type: "string", schema }];

const manifest = {
  server: { name: "built", version: "1.0.0" },
  tools: [{ name: "greet", description, inputSchema, outputSchema: schema, binding: binding("greet") }],
  prompts: [{ name: "letter", description, arguments: [{ name: "name", required: true }], binding: binding("letter") }],
  resources: [{ uri: "note://{name}", name: "note", description, variables, binding: binding("note") }],
};
const load = async () => ({ greet: String, letter: String, note: String });

await serveByArguments(() => ({ default: createDerivedServer(manifest, load), load }));
