// A server of the older revisions over stdio, written by hand: node stdio-server.mjs <log file> [mode]
// It logs the exact lines of both directions, and misbehaves as the mode says.
import { appendFileSync } from "node:fs";
import { createInterface } from "node:readline";

const [, , log, mode = ""] = process.argv;
const KNOWN = ["2025-06-18", "2024-11-05"];
let pages = 0;

function send(text) {
  appendFileSync(log, `in ${text}\n`);
  process.stdout.write(`${text}\n`);
}

function respond(id, result) {
  // Spaces, escapes and a repeated key: a record must not change them.
  send(`{"jsonrpc":"2.0", "id":${JSON.stringify(id)} ,"result":${JSON.stringify(result)},"x":"\\u00e9","x":1}`);
}

function fail(id, code, message) {
  send(JSON.stringify({ jsonrpc: "2.0", id, error: { code, message } }));
}

const TOOL = { name: "<img src=x onerror=alert(1)>\u202e", inputSchema: { type: "object" } };

const METHODS = {
  initialize(id, { protocolVersion }) {
    const agreed = KNOWN.includes(protocolVersion) ? protocolVersion : KNOWN[0];
    const capabilities = { tools: {}, ...(mode === "lists" && { prompts: {} }) };
    respond(id, { protocolVersion: agreed, capabilities, serverInfo: { name: "by hand", version: "1" } });
  },
  ping: (id) => respond(id, {}),
  "tools/list"(id, { cursor }) {
    if (mode === "lists") respond(id, { tools: [TOOL], nextCursor: `page ${++pages}` });
    else respond(id, { tools: cursor === undefined ? [TOOL] : [] });
  },
  "prompts/list": (id) => respond(id, { prompts: [], nextCursor: "same" }),
  "tools/call"(id, { name }) {
    if (name === "die") {
      process.stderr.write("about to die\n");
      process.exit(3);
    }
    if (name === "die later") {
      respond(id, { content: [] });
      process.stderr.write("\u001b[31mout of memory\n");
      setTimeout(() => process.exit(4), 10);
      return;
    }
    if (name === "flood") {
      respond(id, { content: [{ type: "text", text: "x".repeat(3_000_000) }] });
      return;
    }
    if (name === "strays") {
      send("this is no message");
      send('{"jsonrpc":"2.0","id":987654,"result":{"stray":true}}');
      send('{"jsonrpc":"2.0","result":{}}');
    }
    respond(id, { content: [{ type: "text", text: `called ${name}` }] });
  },
};

createInterface({ input: process.stdin }).on("line", (line) => {
  appendFileSync(log, `out ${line}\n`);
  let message;
  try {
    message = JSON.parse(line);
  } catch {
    fail(null, -32700, "not JSON");
    return;
  }
  const { id, method, params = {} } = message;
  if (method === "die") process.exit(4);
  if (id === undefined) return;
  if (Object.hasOwn(METHODS, method)) METHODS[method](id, params);
  else fail(id, -32601, `${method} is unknown`);
});
