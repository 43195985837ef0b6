// The client that the conformance suite starts: node conformance-client.mjs <url of a server>. It connects as a program of a
// user does, answers questions with the defaults of their fields, and calls each tool of the server.
import { connect } from "proffer/client";

const [url] = process.argv.slice(2);
const { MCP_CONFORMANCE_SCENARIO: scenario = "", MCP_CONFORMANCE_PROTOCOL_VERSION: revision } = process.env;
const context = JSON.parse(process.env.MCP_CONFORMANCE_CONTEXT ?? "{}");
const { client_id: id, client_secret: secret, toolCalls } = context;

const uri = "http://localhost:3000/callback";

/** A user whose browser is logged in already, and asks nothing. */
const redirect = () => ({
  uri,
  async visit(page) {
    const { headers } = await fetch(page, { redirect: "manual" });
    return new URL(headers.get("location"), page).href;
  },
});

const login = {
  redirect,
  clientMetadataUrl: "https://conformance-test.local/client-metadata.json",
  ...(id && { client: { id, ...(secret && { secret }) } }),
  ...(scenario.startsWith("auth/client-credentials") && { grant: "client_credentials" }),
};

const defaultsOf = ({ properties = {} }) =>
  Object.fromEntries(
    Object.entries(properties).flatMap(([name, { default: value }]) => (value === undefined ? [] : [[name, value]])),
  );

const answers = ({ method, params }) => {
  if (method === "elicitation/create") return { action: "accept", content: defaultsOf(params.requestedSchema) };
  if (method === "roots/list") return { roots: [] };
  return { role: "assistant", content: { type: "text", text: "4" }, model: "none" };
};

const example = ({ type, enum: values }) =>
  values?.[0] ?? { number: 5, integer: 5, boolean: true, array: [], object: {} }[type] ?? "text";

const capabilities = { elicitation: { form: { applyDefaults: true } }, sampling: {}, roots: {} };
// Named, because on a busy machine a late response would lead to an older revision. One scenario refuses the first request.
const named = revision && scenario !== "request-metadata" && { revision };
const client = await connect(url, { login, answers, capabilities, ...named });
const tools = await client.listTools();
for (const { name, inputSchema } of toolCalls === undefined ? tools : []) {
  const { properties = {} } = inputSchema;
  // A tool that wants a schema gets that of a tool, which must have arrived unchanged.
  const input = Object.fromEntries(
    Object.entries(properties).map(([key, schema]) => [key, key === "schema" ? tools[0].inputSchema : example(schema)]),
  );
  await client.call(name, input);
}
for (const { name, arguments: input } of toolCalls ?? []) await client.call(name, input);
if (client.capabilities.resources) await client.listResources();
if (client.capabilities.prompts) await client.listPrompts();
await client.close();
