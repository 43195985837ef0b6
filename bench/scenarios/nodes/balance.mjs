import { register } from "node:module";
import { availableParallelism } from "node:os";
import { load, serialise } from "../../lib/http-load.mjs";
import { median } from "../../lib/statistics.mjs";
import { micros } from "./measure.mjs";

const COUNT = 3000;

/** Modern calls through a balancer, to one process and to four. The load and the balancer share this process. */
export async function balance({ start, rounds }) {
  register("../../../scripts/typescript-hooks.mjs", import.meta.url);
  const { Balancer } = await import("../../../packages/proffer/test/http/balancer.ts");
  const servers = [];
  for (let node = 0; node < 4; node++) servers.push(await start("redis"));
  const urls = servers.map(({ port }) => `http://127.0.0.1:${port}/mcp`);
  const [one, four] = [await Balancer.open(urls.slice(0, 1)), await Balancer.open(urls)];
  const params = [{ name: "echo", arguments: { text: "hi" } }];
  const jobs = [one, four].map((balancer) => {
    const port = Number(new URL(balancer.url).port);
    const bytes = serialise(port, { era: "modern", method: "tools/call", params, count: COUNT });
    return { balancer, port, bytes, rates: [], cpu: [] };
  });
  for (let round = -2; round < rounds; round++) {
    for (const { balancer, port, bytes, rates, cpu } of jobs) {
      const before = total(servers);
      const { milliseconds } = await load(port, bytes, { inFlight: 16, seconds: 600, count: COUNT });
      balancer.routed.length = 0;
      if (round < 0) continue;
      rates.push((COUNT / milliseconds) * 1e3);
      cpu.push((total(servers) - before) / COUNT);
    }
  }
  for (const balancer of [one, four]) await balancer.close();
  for (const server of servers) await server.stop();
  const cores = Math.max(1, Math.min(4, availableParallelism() - 1));
  const [single, many] = jobs.map(({ rates }) => median(rates));
  const ratio = many / single;
  const [cpuOne, cpuFour] = jobs.map(({ cpu }) => micros(median(cpu)));
  const found = `${ratio.toFixed(2)} × ${single.toFixed(0)}/s; CPU of the nodes ${cpuFour}, alone ${cpuOne}`;
  return [["modern calls over 4 processes", `0.9 × min(4, ${cores}) of one`, found, ratio >= 0.9 * cores]];
}

function total(servers) {
  return servers.reduce((sum, { cpuMicros }) => sum + cpuMicros, 0);
}
