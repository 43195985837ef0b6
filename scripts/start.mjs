// npm start: installs what is missing, builds what is stale, and serves the quickstart example over HTTP.
//   PORT=8080 npm start   takes another port
import "./node-version.mjs";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { ensureBuilt } from "./build.mjs";
import { converse } from "./conversation.mjs";
import { ensureInstalled, root } from "./npm.mjs";
import { Failure, main, progress, stylesFor } from "./terminal.mjs";

const example = "examples/quickstart/server.ts";
const port = process.env.PORT ?? "3000";
const url = `http://127.0.0.1:${port}/mcp`;

await main(async () => {
  ensureInstalled();
  await ensureBuilt();
  await converse(example);
  await serveQuickstart();
});

/** The main job: what somebody who has just cloned the repository should see. */
async function serveQuickstart() {
  progress(`proffer serve ${example} --http ${port}`);
  const server = spawn(
    process.execPath,
    [join(root, "packages/proffer/dist/bin.js"), "serve", example, "--http", port],
    { cwd: root, stdio: ["ignore", "ignore", "inherit"] },
  );
  const ended = once(server, "exit");
  for (const signal of ["SIGINT", "SIGTERM"]) process.once(signal, () => server.kill(signal));
  if (!(await answers(server)))
    throw new Failure(`the server ended before it answered at ${url}; its messages are above.`);
  explain();
  await ended;
}

/** Whether the server answers; false once it has ended. */
async function answers(server) {
  while (server.exitCode === null && server.signalCode === null) {
    try {
      // Any answer will do; without a session this one is a refusal.
      await fetch(url);
      return server.exitCode === null;
    } catch {
      await pause(50);
    }
  }
  return false;
}

function explain() {
  const { bold, dim } = stylesFor(process.stdout);
  const version = "2026-07-28";
  const meta = {
    "io.modelcontextprotocol/protocolVersion": version,
    "io.modelcontextprotocol/clientCapabilities": {},
  };
  const params = { name: "add", arguments: { a: 19, b: 23 }, _meta: meta };
  const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/call", params });
  const headers = [
    "content-type: application/json",
    `mcp-protocol-version: ${version}`,
    "mcp-method: tools/call",
    "mcp-name: add",
  ];
  process.stdout.write(`
${bold(`The quickstart is served at ${url}`)} ${dim("until you press Ctrl-C")}

${bold("Claude Code")}
  claude mcp add --transport http quickstart ${url}

${bold("VS Code")} ${dim(".vscode/mcp.json")}
  ${JSON.stringify({ servers: { quickstart: { type: "http", url } } })}

${bold("Cursor")} ${dim(".cursor/mcp.json")}
  ${JSON.stringify({ mcpServers: { quickstart: { url } } })}

${bold("A call with curl")}
  curl ${url} ${headers.map((header) => `-H '${header}'`).join(" ")} -d '${body}'

${bold("Next")}
  npx proffer serve ${example}   ${dim("the same over stdio")}
  npm test                                          ${dim("every check")}
`);
}
