import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { root } from "./npm.mjs";
import { Failure, progress, stylesFor } from "./terminal.mjs";

const revision = "2025-11-25";
const patience = 30_000;

/** Serves a module over stdio in a child process, acts as its MCP client, and prints the messages. */
export async function converse(module) {
  progress(`proffer serve ${module}`);
  const server = spawn(process.execPath, [join(root, "packages/proffer/dist/bin.js"), "serve", module], {
    cwd: root,
    stdio: ["pipe", "pipe", "inherit"],
    timeout: patience,
  });
  const ended = once(server, "exit");
  // If the server has exited, its responses are missing.
  server.stdin.on("error", () => {});
  try {
    await tour(server, createClient(server));
  } finally {
    server.stdin.end();
  }
  const [code] = await ended;
  if (code !== 0) throw new Failure(`${module} ended with exit code ${code}; its messages are above.`);
}

async function tour(server, request) {
  const { serverInfo } = await request("initialize", {
    protocolVersion: revision,
    capabilities: {},
    clientInfo: { name: "npm-start", version: "1.0.0" },
  });
  answer(`${serverInfo.name} ${serverInfo.version}, protocol ${revision}`);
  server.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", method: "notifications/initialized" })}\n`);

  const { tools } = await request("tools/list", {});
  for (const { name, description } of tools) answer(`${name}: ${description}`);

  const { content } = await request("tools/call", { name: "add", arguments: { a: 19, b: 23 } });
  for (const { text } of content) answer(text);
}

/** Returns a function that sends one request, prints it, and resolves to its result. */
function createClient(server) {
  const lines = createInterface({ input: server.stdout })[Symbol.asyncIterator]();
  let id = 0;
  return async function request(method, params) {
    id += 1;
    say("→", method, method === "tools/call" ? JSON.stringify(params) : "");
    server.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", id, method, params })}\n`);
    for (;;) {
      const { value: line, done } = await lines.next();
      if (done) throw new Failure(`the server ended before it answered ${method}; its messages are above.`);
      const message = JSON.parse(line);
      if (message.id !== id) continue;
      if (message.error) throw new Failure(`${method} failed: ${message.error.message} (${message.error.code})`);
      return message.result;
    }
  };
}

function answer(text) {
  say("←", text);
}

function say(arrow, text, detail = "") {
  const { cyan, dim, green } = stylesFor(process.stdout);
  const paint = arrow === "→" ? cyan : green;
  process.stdout.write(`  ${paint(arrow)} ${text} ${dim(detail)}`.trimEnd().concat("\n"));
}
