// Lists the shared files that Node loads for a server over HTTP: node probe-loading.mjs <dist> <server> [query].
import inspector from "node:inspector";

const [dist, kind, query = ""] = process.argv.slice(2);
const session = new inspector.Session();
const loaded = [];
session.connect();
session.on("Debugger.scriptParsed", ({ params }) => {
  if (params.url.startsWith(`${dist}/shared/`)) loaded.push(params.url.slice(dist.length + "/shared/".length));
});
session.post("Debugger.enable");

const { defineServer, defineTool } = await import(`${dist}/index.js`);
const { serveHttp } = await import(`${dist}/http.js`);
const tools = [defineTool({ name: "t", toolset: "one", scopes: kind === "shows" ? ["a"] : [], handle: () => "" })];
const options = { plain: {}, shows: { shows: () => true }, toolsets: { toolsets: { one: ["t"] } } }[kind];
const server = defineServer({ name: "s", version: "1", tools, ...options });
const service = await serveHttp(server, { port: 0, authenticate: () => ({ id: "ada", scopes: ["a"] }) });
const headers = { "content-type": "application/json", accept: "application/json, text/event-stream" };
for (const method of ["tools/list", "tools/call"]) {
  const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method, params: { name: "t" } });
  const params = { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: "t", version: "1" } };
  const opened = await fetch(service.url + query, {
    ...{ method: "POST", headers },
    body: JSON.stringify({ jsonrpc: "2.0", id: 0, method: "initialize", params }),
  });
  const id = opened.headers.get("mcp-session-id");
  const answer = await fetch(service.url + query, {
    method: "POST",
    headers: { ...headers, "mcp-session-id": id },
    body,
  });
  const { result } = await answer.json();
  if (result === undefined) throw new Error(`${method} was not answered`);
}
await service.close();
session.disconnect();
process.stderr.write(JSON.stringify({ loaded }));
