// Counts the socket writes of a response and their chunks: node probe-http.mjs <dist>.
import { createServer, request } from "node:http";
import { createProbeServer } from "./probe-server.mjs";

const [dist] = process.argv.slice(2);
const { createNodeHandler } = await import(`${dist}/http.js`);
const handler = createNodeHandler(await createProbeServer(dist), { sessions: false });

let writes = 0;
let chunks = 0;
const server = createServer(handler).on("connection", countWrites).listen(0, "127.0.0.1");
await new Promise((resolve) => server.once("listening", resolve));

const counts = {};
const READS = { "a small answer": "item://42", "a large fixed answer": "text://large" };
for (const [name, uri] of Object.entries(READS)) {
  await post({ method: "resources/read", params: { uri } });
  writes = 0;
  chunks = 0;
  await post({ method: "resources/read", params: { uri } });
  counts[name] = { writes, chunks };
}
process.stderr.write(JSON.stringify(counts), () => process.exit(0));

/** Each of these socket calls is one system call, unless the kernel accepts only a part of the data. */
function countWrites(socket) {
  for (const name of ["_write", "_writev"]) {
    const original = socket[name];
    socket[name] = function count(...args) {
      writes++;
      chunks += name === "_write" ? 1 : args[0].length;
      return original.apply(this, args);
    };
  }
}

function post(message) {
  const body = JSON.stringify({ jsonrpc: "2.0", id: 1, ...message });
  const headers = {
    "content-type": "application/json",
    accept: "application/json, text/event-stream",
    "mcp-protocol-version": "2025-06-18",
  };
  const { port } = server.address();
  return new Promise((resolve, reject) => {
    const sent = request({ port, host: "127.0.0.1", method: "POST", headers }, (response) => {
      if (response.statusCode !== 200) reject(new Error(`answered with ${response.statusCode}`));
      response.resume().once("end", resolve);
    });
    sent.once("error", reject);
    sent.end(body);
  });
}
