import { setTimeout as pause } from "node:timers/promises";
import { openSession } from "../../lib/http-client.mjs";
import { load, serialise } from "../../lib/http-load.mjs";
import { WITH_TASKS } from "../../workload/messages.mjs";
import { call, redisCpu } from "./measure.mjs";

/** The bytes of the arguments of each parked task. */
const PAYLOAD = 100;

/** Memory of sessions without a request, and of tasks that wait for an answer, in Redis and in a node. */
export async function parked({ client, start, size }) {
  const server = await start("redis", ["--expose-gc"]);
  const warm = 500;
  await openSessions(server, warm);
  await park(server, client, warm);
  const empty = await memory(server, client);
  let begin = performance.now();
  await openSessions(server, size);
  const sessionRate = size / (performance.now() - begin);
  const withSessions = await memory(server, client);
  begin = performance.now();
  await park(server, client, warm + size);
  const taskRate = size / (performance.now() - begin);
  const withTasks = await memory(server, client);
  const payload = await payloadOf(client);
  const nodes = (before, after) => Math.round((after.node - before.node) / size);
  const redis = (before, after) => Math.round((after.redis - before.redis) / size);
  const engine = (before, after) => Math.round((after.cpu - before.cpu) / size);
  await server.stop();
  const rows = [
    [
      "session",
      redis(empty, withSessions),
      nodes(empty, withSessions),
      sessionRate,
      engine(empty, withSessions),
      2_000,
    ],
    [
      "parked task",
      redis(withSessions, withTasks),
      nodes(withSessions, withTasks),
      taskRate,
      engine(withSessions, withTasks),
      1_500 + payload,
    ],
  ];
  return rows.flatMap(([what, inRedis, inNode, rate, cpu, budget]) => [
    [
      `${size} × ${what}: in Redis`,
      `${budget} bytes`,
      `${inRedis} bytes; made at ${(rate * 1e3).toFixed(0)}/s with ${cpu} µs of Redis each`,
      inRedis <= budget,
    ],
    // The heads of 10,000 sessions, and the time of the last change of up to `sessions.max`, are cached.
    [`${size} × ${what}: in a node`, what === "session" ? "caches" : "0 bytes", `${inNode} bytes`, inNode * size < 4e7],
  ]);
}

async function openSessions(server, count) {
  for (let opened = 0; opened < count; opened += 20) {
    await Promise.all(Array.from({ length: 20 }, () => openSession(server.port)));
  }
}

/** Creates tasks until this many wait for an answer. */
async function park(server, client, count) {
  const parkedNow = async () => Number(await client.eval(COUNT_PARKED, 0));
  const params = [{ name: "park", arguments: { text: "x".repeat(PAYLOAD) }, _meta: WITH_TASKS }];
  const bytes = serialise(server.port, { era: "modern", method: "tools/call", params, count: 1000 });
  const missing = count - (await parkedNow());
  await load(server.port, bytes, { inFlight: 8, seconds: 3600, count: missing });
  while ((await parkedNow()) < count) await pause(500);
}

/** The sealed texts of a task: its arguments and its question, with the declarations of the client. */
async function payloadOf(client) {
  const [, [key]] = await client.scan(0, "MATCH", "bench:r:* task *", "COUNT", 1000);
  const lengths = await Promise.all(["call", "questions"].map((field) => client.hstrlen(key, field)));
  return lengths.reduce((sum, length) => sum + length, 0);
}

/** Tasks that wait, found without reading more than the status of each record. */
const COUNT_PARKED = `
local cursor, count = '0', 0
repeat
  local page = redis.call('SCAN', cursor, 'MATCH', 'bench:r:* task *', 'COUNT', 10000, 'TYPE', 'hash')
  cursor = page[1]
  for _, key in ipairs(page[2]) do
    if redis.call('HGET', key, 'status') == 'input_required' then count = count + 1 end
  end
until cursor == '0'
return count`;

async function memory(server, client) {
  await pause(1000);
  const node = Number(await call(server, "heap"));
  const [, redis] = /used_memory:(\d+)/.exec(await client.info("memory"));
  return { node, redis: Number(redis), cpu: await redisCpu(client) };
}
