// A node of a Proffer server over HTTP: node.mjs http memory|redis. REDIS is host:port.
import { setTimeout as pause } from "node:timers/promises";
import { defineResource, defineServer, defineTool, field } from "proffer";
import { serveHttp } from "proffer/http";

const [, mode] = process.argv.slice(2);
const now = () => performance.timeOrigin + performance.now();
const median = (values) => values.sort((a, b) => a - b)[values.length >> 1];

const [cluster, get] = mode === "redis" ? await connect(process.env.REDIS) : [undefined, undefined];

const text = { type: "object", properties: { text: { type: "string" } }, required: ["text"] };
const tools = [
  { name: "echo", input: text, handle: async ({ text }) => text },
  // The time at which its handler began.
  { name: "begin", task: true, handle: async () => String(now()) },
  { name: "park", task: true, input: text, handle: (_, ctx) => ctx.ask("Continue?", { yes: field.boolean() }) },
  { name: "steps", task: true, handle: (_, ctx) => measureSteps(ctx) },
  { name: "hang", task: true, handle: () => new Promise(() => {}) },
  // An event at once, which the client sees before it disconnects, and one after that.
  {
    name: "events",
    async handle(_, ctx) {
      ctx.progress(1, 2);
      await pause(200);
      ctx.progress(2, 2);
      return "done";
    },
  },
  { name: "get", handle: async () => String(await measureGet()) },
  { name: "heap", handle: () => String(collect()) },
  { name: "notify", handle: () => void server.notify("bench://prices") },
];

const server = defineServer({
  name: "node",
  version: "1.0.0",
  keys: [new Uint8Array(32).fill(7)],
  tools: tools.map(defineTool),
  resources: [defineResource({ uri: "bench://prices", name: "prices", read: () => "12" })],
  limits: { tasks: 1_000_000 },
  log: () => {},
  ...(cluster && { cluster }),
});
const unlimited = { sessions: { max: 1_000_000, idleTimeout: 3_600_000 } };
await serveHttp(server, { port: Number(process.env.PORT), maxConnections: 100_000, ...unlimited });

/** The medians of a recorded step and of a GET, by turns, in milliseconds. */
async function measureSteps(ctx) {
  const [steps, trips] = [[], []];
  for (let step = 0; step < 200; step++) {
    const begin = performance.now();
    await get?.("bench");
    const middle = performance.now();
    await ctx.step(`step ${step}`, () => "x".repeat(100));
    steps.push(performance.now() - middle);
    trips.push(middle - begin);
  }
  return JSON.stringify([median(steps), median(trips)]);
}

/** The CPU of a GET in microseconds, 8 at once. */
async function measureGet() {
  const before = process.cpuUsage();
  for (let sent = 0; sent < 4000; sent += 8) await Promise.all(Array.from({ length: 8 }, () => get("bench")));
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 4000;
}

/** The bytes in use after a garbage collection. */
function collect() {
  for (let round = 0; round < 3; round++) globalThis.gc();
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}

async function connect(address) {
  const [{ Redis }, { Queue, Worker }, { redis }, { bullmq }] = await Promise.all([
    import("ioredis"),
    import("bullmq"),
    import("proffer/redis"),
    import("proffer/bullmq"),
  ]);
  const [host, port] = address.split(":");
  const client = new Redis({ host, port: Number(port), maxRetriesPerRequest: 1 });
  const limits = { prefix: "bench", commandTimeout: 60_000 };
  const queue = bullmq({ Queue, Worker, connection: { host, port: Number(port) }, ...limits });
  return [{ ...redis(client, limits), queue }, (key) => client.get(key)];
}
