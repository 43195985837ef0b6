// An official client: it finds the authorization server, registers, signs in, calls, and asks for more when it must.
//   node client.mjs ada

import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { browse, REDIRECT } from "./sign-in.mjs";

const URL_OF_DESK = process.env.RESOURCE ?? "http://127.0.0.1:3000/mcp";
const [user = "ada"] = process.argv.slice(2);

/** Keeps the client's tokens, and replaces the browser. */
class Memory {
  redirectUrl = REDIRECT;
  clientMetadata = {
    client_name: "example",
    redirect_uris: [REDIRECT],
    token_endpoint_auth_method: "none",
    application_type: "native",
    grant_types: ["authorization_code", "refresh_token"],
  };
  clientInformation = () => this.client;
  saveClientInformation = (client) => {
    this.client = client;
  };
  tokens = () => this.saved;
  saveTokens = (tokens) => {
    this.saved = tokens;
    console.log(`  signed in, with the scopes: ${tokens.scope}`);
  };
  codeVerifier = () => this.verifier;
  saveCodeVerifier = (verifier) => {
    this.verifier = verifier;
  };
  discoveryState = () => this.discovered;
  saveDiscoveryState = (discovered) => {
    this.discovered = discovered;
  };
  redirectToAuthorization = async (url) => {
    console.log(`  ${user} is asked for: ${url.searchParams.get("scope")}`);
    const answer = await browse(url, user);
    this.answer = answer.searchParams;
  };
}

const memory = new Memory();
console.log("1. Connect");
await attempt((client) => client.listTools());
console.log("2. Find orders");
show(await attempt((client) => client.callTool({ name: "findOrders", arguments: {} })));
console.log("3. Cancel one, which needs more");
show(await attempt((client) => client.callTool({ name: "cancelOrder", arguments: { id: "A1" } })));

/** Runs one request; if the user had to sign in, it is sent again with the new token. */
async function attempt(work) {
  for (;;) {
    const transport = new StreamableHTTPClientTransport(new URL(URL_OF_DESK), { authProvider: memory });
    const client = new Client({ name: "example", version: "1.0.0" });
    memory.answer = undefined;
    try {
      await client.connect(transport);
      return await work(client);
    } catch (error) {
      if (memory.answer === undefined) throw error;
      await transport.finishAuth(memory.answer);
    } finally {
      await client.close();
    }
  }
}

function show({ content }) {
  for (const { text } of content) console.log(`  ${text}`);
}
