import { openSession } from "../../lib/http-client.mjs";
import { load, serialise } from "../../lib/http-load.mjs";
import { median } from "../../lib/statistics.mjs";
import { call, measure, micros, redisCpu } from "./measure.mjs";

/** A call in a session of an older revision, in memory and through Redis; and `once`. */
export async function sessionCalls({ client, start, rounds }) {
  const servers = [await start("memory"), await start("redis")];
  const jobs = [];
  for (const server of servers) {
    const session = await openSession(server.port);
    jobs.push({
      server,
      era: "legacy",
      session,
      method: "tools/call",
      params: [{ name: "echo", arguments: { text: "hi" } }],
    });
  }
  const { results, trip } = await measure(jobs, rounds, client);
  const [memory, redis] = results;
  const trips = [];
  for (let round = 0; round < 3; round++) trips.push(Number(await call(servers[1], "get")));
  const getCpu = Math.min(...trips);
  const inRedis = await engineCpu(client, jobs[1]);
  for (const server of servers) await server.stop();
  const most = 1.3 * memory.cpu + getCpu;
  const wait = (redis.time - memory.time) / trip;
  return [
    ["R, one GET", "", `${micros(trip * 1e3)}; CPU ${micros(getCpu)}`],
    ["session call, CPU", `1.3 × ${micros(memory.cpu)} + R = ${micros(most)}`, micros(redis.cpu), redis.cpu <= most],
    ["session call, time", "memory + 1 R", `${micros(memory.time * 1e3)} + ${wait.toFixed(1)} R`, wait <= 1.2],
    ["session call, CPU of Redis", "", micros(inRedis)],
    await claims(client),
  ];
}

async function engineCpu(client, { server, ...job }) {
  const count = 4000;
  const before = await redisCpu(client);
  await load(server.port, serialise(server.port, { ...job, count }), { inFlight: 8, seconds: 600, count });
  return ((await redisCpu(client)) - before) / count;
}

/** `once` is a claim of the store. */
async function claims(client) {
  const { redis } = await import("../../../packages/proffer/dist/redis.js");
  const { store, close } = redis(client, { prefix: "claims" });
  const [times, trips] = [[], []];
  for (let round = 0; round < 2000; round++) {
    const begin = performance.now();
    await client.get("bench");
    const middle = performance.now();
    await store.claim(`state ${round}`, 60_000);
    if (round < 500) continue;
    trips.push(middle - begin);
    times.push(performance.now() - middle);
  }
  close();
  const ratio = median(times) / median(trips);
  return ["`once`", "1 R", `${ratio.toFixed(2)} R`, ratio <= 1.2];
}
