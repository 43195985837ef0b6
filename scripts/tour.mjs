// The examples that `npm start` serves, and the text that it prints about them.
import { stylesFor } from "./terminal.mjs";

/** The first one is for newcomers to read. */
export const quickstart = {
  path: "/mcp",
  module: "examples/quickstart/server.ts",
  about: "a tool, a resource, a prompt",
};

/** The other examples, by the path at which each is served. */
export const mounts = [
  { path: "/birds", module: "examples/birds/server.ts", about: "asks you which bird you have seen" },
  { path: "/algocline", module: "examples/algocline/server.ts", about: "the files of a service as alc:// resources" },
  {
    path: "/sales/orders",
    module: "examples/sales-orders/server.ts",
    about: "a database: JSON, CSV, a PDF, long lists",
  },
  { path: "/demo/stateless", module: "examples/sales-orders/demo.ts", about: "something of everything" },
  { path: "/demo/session", module: "examples/sales-orders/session-demo.ts", about: "a sum that each session keeps" },
  {
    path: "/logtalk-tour",
    module: "examples/logtalk-tour/server.ts",
    about: "failures, prompts, resources of many contents",
  },
  {
    path: "/logtalk-tour/derived",
    module: "examples/logtalk-tour/tools.ts",
    about: "the same, derived from plain functions",
  },
  { path: "/report", module: "examples/report/server.ts", about: "takes minutes, as a task, and asks in the middle" },
];

/** The text for a user who has just cloned the repository. Each command in it works when pasted. */
export function describeTour(origin) {
  const { bold, dim } = stylesFor(process.stdout);
  const servers = [quickstart, ...mounts];
  const width = Math.max(...servers.map(({ path }) => path.length));
  const shown = servers.map(({ path, about }) => `  ${origin}${path.padEnd(width)}  ${dim(about)}`);
  const url = `${origin}${quickstart.path}`;
  return `
${bold(`${servers.length} servers on one port`)} ${dim("until you press Ctrl-C")}
${shown.join("\n")}

${bold("Try, in another terminal")}
  npx proffer list ${origin}/algocline
  npx proffer call ${url} add --arg a=19 --arg b=23
  npx proffer call ${origin}/birds identify_bird
  npx proffer read ${origin}/sales/orders sales_order/12345
  npx proffer call ${origin}/logtalk-tour/derived factorial --arg n=20
  npx proffer prompt ${url} explain --arg topic=MCP
  ${curlLine(url)}

${bold("Claude Code")}
  claude mcp add --transport http birds ${origin}/birds
${bold("VS Code")} ${dim(".vscode/mcp.json")}
  ${JSON.stringify({ servers: { birds: { type: "http", url: `${origin}/birds` } } })}
${bold("Cursor")} ${dim(".cursor/mcp.json")}
  ${JSON.stringify({ mcpServers: { birds: { url: `${origin}/birds` } } })}

${bold("Next")}
  docs/start.md  ${dim("a server of your own in five minutes")}
  npm test       ${dim("every check")}
`;
}

/** A request of 2026-07-28 carries its own version and capabilities: it needs no handshake and no session. */
function curlLine(url) {
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
  return `curl -sS ${url} ${headers.map((header) => `-H '${header}'`).join(" ")} -d '${body}'`;
}
