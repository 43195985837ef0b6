// Measures the cost of each operation of proffer/redis, with each client library: node bench/cluster.mjs [client …]
// CPU of this process and of Redis per operation with 32 at once, and the time of one at a time, in round trips (R: the
// median of a GET through the same client, one before each operation). Needs redis-server or valkey-server in PATH, or PROFFER_TEST_REDIS=host:port.
import { startEngine } from "./lib/engine.mjs";

const CLIENTS = {
  ioredis: async (address) => {
    const { Redis } = await import("ioredis");
    const client = new Redis(address);
    return [client, (key) => client.get(key), () => client.disconnect()];
  },
  iovalkey: async (address) => {
    const { Redis } = await import("iovalkey");
    const client = new Redis(address);
    return [client, (key) => client.get(key), () => client.disconnect()];
  },
  "node-redis": async (socket) => {
    const { createClient } = await import("redis");
    const client = await createClient({ socket }).connect();
    return [client, (key) => client.get(key), () => client.destroy()];
  },
  "valkey-glide": async (address) => {
    const { GlideClient } = await import("@valkey/valkey-glide");
    const client = await GlideClient.createClient({ addresses: [address] });
    return [client, (key) => client.get(key), () => client.close()];
  },
};

/** About the size of a step's sealed result. */
const TEXT = "x".repeat(250);
const HOUR = 3_600_000;

/** Each operation as the features use it; `n` is a new number for each call. */
const OPERATIONS = {
  GET: (_, n, get) => get(`bench ${n % 100}`),
  claim: ({ store }, n) => store.claim(`once ${n}`, HOUR),
  count: ({ store }, n) => store.count(`limit ${n % 100}`, HOUR),
  "change: create": ({ store }, n) =>
    store.change(`task ${n}`, {
      if: { status: undefined },
      set: { status: "working", epoch: "0", owner: "somebody", input: TEXT },
      stamp: ["created", "updated"],
      expire: HOUR,
    }),
  "change: lease": ({ store }, n) =>
    store.change(`task ${n % 1000}`, { if: { status: "working" }, add: { runs: 1 }, set: { lease: "node" } }),
  "change: step": ({ store }, n) =>
    store.change(`step ${n % 1000}`, { if: { other: undefined }, setOnce: { [`j:${n % 20}`]: TEXT }, returning: [] }),
  "read: all": ({ store }, n) => store.read(`task ${n % 1000}`),
  "read: 3 fields": ({ store }, n) => store.read(`task ${n % 1000}`, ["status", "created", "updated"]),
  append: ({ store }, n) =>
    store.append(`log ${n % 100}`, [{ place: n + 1, text: TEXT }], { entries: 100, bytes: 1e6, milliseconds: HOUR }),
  "since: 0 entries": ({ store }, n) => store.since(`log ${n % 100}`, 1e9),
  remove: ({ store }, n) => store.remove(`task ${n + 1_000_000}`),
  publish: ({ bus }) => bus.publish("topic", TEXT),
};

const ROUNDS = Number(process.env.ROUNDS ?? 4_000);

const { host, port, stop } = await startEngine();
const { redis } = await import("../packages/proffer/dist/redis.js").catch(() => {
  throw new Error("Run npm run build first.");
});
const chosen = process.argv.length > 2 ? process.argv.slice(2) : Object.keys(CLIENTS);
const rows = new Map(Object.keys(OPERATIONS).map((name) => [name, []]));
for (const name of chosen) {
  const [client, get, close] = await CLIENTS[name]({ host, port });
  const node = redis(client, { prefix: `bench-${name}`, commandTimeout: 60_000 });
  const info = async () => {
    const text = String(await send(client, ["INFO", "cpu"]));
    const [, system, user] = /used_cpu_sys:([\d.]+)\s+used_cpu_user:([\d.]+)/.exec(text) ?? [];
    return (Number(system) + Number(user)) * 1e6;
  };
  for (const [operation, run] of Object.entries(OPERATIONS)) {
    let n = 0;
    const next = () => run(node, n++, get);
    for (let warm = 0; warm < 500; warm += 32) await Promise.all(Array.from({ length: 32 }, next));
    const [cpu, engineCpu] = [process.cpuUsage(), await info()];
    for (let done = 0; done < ROUNDS; done += 32) await Promise.all(Array.from({ length: 32 }, next));
    const spent = process.cpuUsage(cpu);
    const engineSpent = (await info()) - engineCpu;
    const [times, trips] = [[], []];
    for (let done = 0; done < 500; done++) {
      const begin = performance.now();
      await get("bench");
      const middle = performance.now();
      await next();
      trips.push(middle - begin);
      times.push(performance.now() - middle);
    }
    const [median, roundTrip] = [times, trips].map((list) => list.sort((a, b) => a - b)[250]);
    const microseconds = [(spent.user + spent.system) / ROUNDS, engineSpent / ROUNDS];
    const time = operation === "GET" ? `R = ${(median * 1e3).toFixed(0)} µs` : `${(median / roundTrip).toFixed(1)} R`;
    rows.get(operation).push([...microseconds.map((value) => value.toFixed(0)), time].join(" · "));
  }
  node.close();
  close();
}
console.log(`| CPU µs · Redis µs · time | ${chosen.join(" | ")} |\n|---${"|---".repeat(chosen.length)}|`);
for (const [operation, cells] of rows) console.log(`| ${[operation, ...cells].join(" | ")} |`);
stop();

function send(client, args) {
  if (client.customCommand) return client.customCommand(args);
  return client.call ? client.call(...args) : client.sendCommand(args);
}
