// Counts the cost of a request over stdio: node probe-stdio.mjs <dist> <events|bytes>. "bytes" needs --expose-gc and a
// new space that is large enough to avoid garbage collection during the run. Chunks are passed to stdin directly and
// output to stdout is discarded, so that no pipe affects the counts.
import { createHook } from "node:async_hooks";
import { createProbeServer, REQUESTS, WARM } from "./probe-server.mjs";

const [dist, what] = process.argv.slice(2);
const print = process.stderr.write.bind(process.stderr);
const BATCH = 100;
const BATCHES = 50;
const ROUNDS = 3;

let promises = 0;
let writes = 0;
process.stdout.write = (_chunk, ...rest) => {
  writes++;
  rest.find((one) => typeof one === "function")?.();
  return true;
};

const { serveStdio } = await import(`${dist}/process.js`);
void serveStdio(await createProbeServer(dist));
const clientInfo = { name: "probe", version: "1.0.0" };
const params = { protocolVersion: "2025-06-18", capabilities: {}, clientInfo };
await send(toBytes([{ id: "first", method: "initialize", params }, { method: "notifications/initialized" }]));

const counts = {};
for (const [name, request] of Object.entries(REQUESTS)) {
  const batch = toBytes(Array.from({ length: BATCH }, (_, id) => ({ id, ...request })));
  for (let done = 0; done < WARM; done += BATCH) await send(batch);
  counts[name] = await (what === "bytes" ? countBytes(batch) : countEvents(batch));
}
print(JSON.stringify(counts), () => process.exit(0));

/** Bytes of heap per request: the least of some measurements, because a busy machine optimizes the code late. */
async function countBytes(batch) {
  let least = Number.POSITIVE_INFINITY;
  for (let round = 0; round < ROUNDS; round++) {
    globalThis.gc();
    const before = process.memoryUsage().heapUsed;
    for (let i = 0; i < BATCHES; i++) await send(batch);
    least = Math.min(least, process.memoryUsage().heapUsed - before);
  }
  return Math.round(least / (BATCH * BATCHES));
}

/** Promises per request, and writes per chunk of requests. */
async function countEvents(batch) {
  const hook = createHook({
    init(_id, type) {
      if (type === "PROMISE") promises++;
    },
  });
  promises = writes = 0;
  hook.enable();
  await send(batch);
  hook.disable();
  // `send` creates a few promises, far less than one per request.
  return { promises: Math.floor(promises / BATCH), writes };
}

/** Resolves after all responses: promises settle before the next turn, in which the collected output is written. */
function send(bytes) {
  process.stdin.emit("data", bytes);
  return new Promise((resolve) => setImmediate(() => setImmediate(resolve)));
}

function toBytes(messages) {
  return Buffer.from(messages.map((message) => `${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`).join(""));
}
