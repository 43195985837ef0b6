// Opens sessions and abandons them: node --expose-gc sessions.mjs <dist> <sessions>. Prints the heap.
import { setTimeout as sleep } from "node:timers/promises";

const [dist, count] = process.argv.slice(2);
const { defineServer, defineTool } = await import(`${dist}/index.js`);
const { createFetchHandler } = await import(`${dist}/fetch.js`);

const MAX = 500;
const BUSY = 20;
const IDLE = 200;

let waiting = 0;
let release;
const released = new Promise((resolve) => {
  release = resolve;
});
const wait = defineTool({
  name: "wait",
  async handle() {
    waiting++;
    await released;
    return "done";
  },
});
const server = defineServer({ name: "heap", version: "1", tools: [wait], log: () => {} });
const lasting = createFetchHandler(server, { sessions: { max: MAX, idleTimeout: 3_600_000 } });
const brief = createFetchHandler(server, { sessions: { max: MAX, idleTimeout: IDLE } });

const warm = await abandon(lasting, 2 * MAX);
const baseline = heap();
const busy = warm.slice(-BUSY);
const calls = busy.map((id) => post(lasting, { id: 3, method: "tools/call", params: { name: "wait" } }, id));
while (waiting < BUSY) await sleep(1);
const half = Math.ceil(Number(count) / 2);
await abandon(lasting, half);
const firstHeap = heap();
const last = (await abandon(lasting, half)).slice(-2 * MAX);
const secondHeap = heap();
const kept = await alive(lasting, last);
const busyAlive = await alive(lasting, busy);
release();
const answered = (await Promise.all(calls)).filter(({ status }) => status === 200).length;
await lasting.close();

const idle = await abandon(brief, MAX);
// Each check counts as a use, so the next one must come after the idle time.
do await sleep(4 * IDLE);
while ((await alive(brief, idle)) > 0);
const result = { max: MAX, busy: BUSY, kept, busyAlive, answered, baseline, firstHeap, secondHeap, end: heap() };
process.stderr.write(JSON.stringify(result), () => process.exit(0));

/** Opens sessions; every other one never sends `notifications/initialized`. */
async function abandon(handler, number) {
  const ids = [];
  for (let index = 0; index < number; index++) {
    const params = { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: "x", version: "1" } };
    const response = await post(handler, { id: 1, method: "initialize", params });
    if (response.status !== 200) throw new Error(`initialize was answered with ${response.status}`);
    const id = response.headers.get("mcp-session-id");
    if (index % 2 === 0) await post(handler, { method: "notifications/initialized" }, id);
    ids.push(id);
  }
  return ids;
}

/** Returns how many of these sessions still exist. */
async function alive(handler, ids) {
  let count = 0;
  for (const id of ids) if ((await post(handler, { id: 2, method: "ping" }, id)).status === 200) count++;
  return count;
}

function post(handler, message, session) {
  const headers = {
    "content-type": "application/json",
    accept: "application/json, text/event-stream",
    ...(session && { "mcp-session-id": session, "mcp-protocol-version": "2025-11-25" }),
  };
  const body = JSON.stringify({ jsonrpc: "2.0", ...message });
  return handler(new Request("http://localhost/mcp", { method: "POST", headers, body }));
}

function heap() {
  for (let round = 0; round < 3; round++) globalThis.gc();
  return process.memoryUsage().heapUsed;
}
