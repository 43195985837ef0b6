// Starts and stops a server on one port: node --expose-gc restarts.mjs <dist> <times>. Prints the heap and warnings.
import { request } from "node:http";
import { createServer } from "node:net";

const [dist, times] = process.argv.slice(2);
const { defineServer, defineTool } = await import(`${dist}/index.js`);
const { serveHttp } = await import(`${dist}/http.js`);

const warnings = [];
process.on("warning", (warning) => warnings.push(warning.message));
const server = defineServer({
  name: "restarts",
  version: "1",
  tools: [defineTool({ name: "say", handle: () => "said" })],
  log: () => {},
});
const listeners = () => process.eventNames().reduce((sum, name) => sum + process.listenerCount(name), 0);

const probe = createServer();
await new Promise((resolve) => probe.listen(0, "127.0.0.1", resolve));
const { port } = probe.address();
await new Promise((resolve) => probe.close(resolve));

let answered = 0;
const before = listeners();
const half = Math.ceil(Number(times) / 2);
await restart(half);
const firstHeap = heap();
await restart(half);
const secondHeap = heap();
// The port is free.
const free = await new Promise((resolve) => {
  const taken = createServer()
    .once("error", () => resolve(false))
    .listen(port, "127.0.0.1", () => taken.close(() => resolve(true)));
});
const result = { answered, warnings, listeners: listeners() - before, free, firstHeap, secondHeap };
process.stderr.write(JSON.stringify(result), () => process.exit(0));

async function restart(number) {
  for (let index = 0; index < number; index++) {
    const service = await serveHttp(server, { port, legacySse: true });
    if ((await call()).includes("said")) answered++;
    await service.close();
  }
}

function call() {
  const _meta = {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientInfo": { name: "x", version: "1" },
    "io.modelcontextprotocol/clientCapabilities": {},
  };
  const params = { name: "say", arguments: {}, _meta };
  const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/call", params });
  const headers = {
    "content-type": "application/json",
    accept: "application/json, text/event-stream",
    "mcp-protocol-version": "2026-07-28",
    "mcp-method": "tools/call",
    "mcp-name": "say",
  };
  return new Promise((resolve, reject) => {
    const options = { port, host: "127.0.0.1", path: "/mcp", method: "POST", headers, agent: false };
    const sent = request(options, (response) => {
      let text = "";
      response.setEncoding("utf8").on("data", (chunk) => {
        text += chunk;
      });
      response.once("end", () => resolve(text));
    });
    sent.once("error", reject);
    sent.end(body);
  });
}

function heap() {
  for (let round = 0; round < 3; round++) globalThis.gc();
  return process.memoryUsage().heapUsed;
}
