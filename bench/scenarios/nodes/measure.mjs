import { post } from "../../lib/http-client.mjs";
import { load, serialise } from "../../lib/http-load.mjs";
import { median } from "../../lib/statistics.mjs";
import { request } from "../../workload/messages.mjs";

/** Requests of one measured round. */
const COUNT = 2000;

/** The CPU of a request in µs and the latency of one at a time in ms, by job: the least and the median of the rounds. */
export async function measure(jobs, rounds, client) {
  const found = jobs.map(() => ({ cpu: [], times: [] }));
  const trips = [];
  for (let round = -2; round < rounds; round++) {
    for (const [at, { server, ...job }] of jobs.entries()) {
      const bytes = serialise(server.port, { ...job, count: COUNT });
      const before = server.cpuMicros;
      await load(server.port, bytes, { inFlight: 8, seconds: 600, count: COUNT });
      const cpu = (server.cpuMicros - before) / COUNT;
      const single = await load(server.port, bytes, { inFlight: 1, seconds: 600, count: 300 });
      for (let trip = 0; trip < 300; trip++) {
        const begin = performance.now();
        await client.get("bench");
        if (round >= 0) trips.push(performance.now() - begin);
      }
      if (round < 0) continue;
      found[at].cpu.push(cpu);
      found[at].times.push(median(single.latencies));
    }
  }
  const results = found.map(({ cpu, times }) => ({ cpu: Math.min(...cpu), time: median(times) }));
  return { results, trip: median(trips) };
}

/** Calls a tool on the newest revision and returns its text. */
export async function call(server, name, args = {}, _meta = {}) {
  const { result } = await send(server, "tools/call", { name, arguments: args, _meta });
  return result.taskId ?? result.content[0]?.text;
}

let serial = 0;

export async function send(server, method, params) {
  const { json, body } = await post(server.port, "modern", request("modern", ++serial, method, params));
  if (json?.result === undefined) throw new Error(`${method} was answered with ${body.slice(0, 300)}`);
  return json;
}

/** The CPU time of Redis, in µs. */
export async function redisCpu(client) {
  const [, system, user] = /used_cpu_sys:([\d.]+)\s+used_cpu_user:([\d.]+)/.exec(await client.info("cpu"));
  return (Number(system) + Number(user)) * 1e6;
}

export const micros = (value) => `${value.toFixed(0)} µs`;
