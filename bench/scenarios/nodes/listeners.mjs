import http from "node:http";
import { headersOf } from "../../lib/http-client.mjs";
import { median } from "../../lib/statistics.mjs";
import { request } from "../../workload/messages.mjs";
import { call, micros } from "./measure.mjs";

const LISTENERS = 1000;
const NODES = 4;
const CHANGES = 30;
const WARM_CHANGES = 5;
const LISTEN = request("modern", 1, "subscriptions/listen", {
  notifications: { resourceSubscriptions: ["bench://prices"] },
});

/** A change that reaches many listeners, on one node and on four: CPU of each listener, time until all know it, memory. */
export async function listeners({ client, start }) {
  const alone = await spread([await start("memory", ["--expose-gc"])]);
  const nodes = [];
  for (let node = 0; node < NODES; node++) nodes.push(await start("redis", ["--expose-gc"]));
  const before = published(await client.info("commandstats"));
  const over = await spread(nodes);
  const messages = published(await client.info("commandstats")) - before;
  const begin = performance.now();
  await client.get("bench");
  const limit = 50 + 2 * (performance.now() - begin);
  const title = `change → ${LISTENERS} listeners on ${NODES} nodes`;
  const most = 1.2 * alone.cpu;
  return [
    [`${title}, all notified`, `${limit.toFixed(0)} ms`, `${over.time.toFixed(0)} ms`, over.time <= limit],
    [`${title}, CPU of each`, `1.2 × ${alone.cpu.toFixed(1)} µs`, `${over.cpu.toFixed(1)} µs`, over.cpu <= most],
    [
      `${title}, messages in Redis`,
      "1",
      (messages / (CHANGES + WARM_CHANGES)).toFixed(1),
      messages <= CHANGES + WARM_CHANGES,
    ],
    [
      "a listener, memory of its node",
      "",
      `${(over.bytes / 1e3).toFixed(1)} kB of heap, ${(over.rss / 1e3).toFixed(1)} kB resident`,
    ],
    ["a call that notifies, all CPU of the nodes", "", micros(over.cpu * LISTENERS)],
  ];
}

async function spread(servers) {
  let waiting = 0;
  let told = () => {};
  const heard = () => {
    if (--waiting === 0) told();
  };
  const heap = async () => sum(await Promise.all(servers.map(async (server) => Number(await call(server, "heap")))));
  const [empty, emptyRss] = [await heap(), sum(servers.map(({ rssMiB }) => rssMiB))];
  const streams = [];
  for (let at = 0; at < LISTENERS; at++) streams.push(await listen(servers[at % servers.length].port, heard));
  const bytes = ((await heap()) - empty) / LISTENERS;
  const rss = ((sum(servers.map(({ rssMiB }) => rssMiB)) - emptyRss) * 1024 ** 2) / LISTENERS;
  const times = [];
  let cpu = 0;
  for (let change = -WARM_CHANGES; change < CHANGES; change++) {
    const all = new Promise((resolve) => {
      told = resolve;
    });
    waiting = LISTENERS;
    const used = sum(servers.map(({ cpuMicros }) => cpuMicros));
    const begin = performance.now();
    await call(servers[0], "notify");
    await all;
    if (change < 0) continue;
    times.push(performance.now() - begin);
    cpu += sum(servers.map(({ cpuMicros }) => cpuMicros)) - used;
  }
  for (const stream of streams) stream.destroy();
  for (const server of servers) await server.stop();
  return { cpu: cpu / CHANGES / LISTENERS, time: median(times), bytes, rss };
}

/** Resolves when the server has acknowledged the subscription. */
function listen(port, heard) {
  return new Promise((resolve, reject) => {
    const headers = headersOf("modern", LISTEN);
    const sent = http.request(
      { port, host: "127.0.0.1", path: "/mcp", method: "POST", headers, agent: false },
      (answer) => {
        answer.setEncoding("utf8").on("data", (text) => {
          if (text.includes("acknowledged")) resolve(sent);
          if (text.includes("resources/updated")) heard();
        });
        answer.on("error", () => {});
      },
    );
    sent.on("error", reject);
    sent.end(JSON.stringify(LISTEN));
  });
}

function sum(values) {
  return values.reduce((total, value) => total + value, 0);
}

/** The PUBLISH and SPUBLISH commands that Redis has executed. */
function published(stats) {
  return sum(Array.from(stats.matchAll(/cmdstat_s?publish:calls=(\d+)/g), ([, calls]) => Number(calls)));
}
