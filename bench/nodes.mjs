// Measures the budgets of several nodes against Redis, in one run: node bench/nodes.mjs [--rounds 7] [--only session,parked]
// --distance N delays the messages of Redis by N ms, as a network does: it shows the number of round trips, which the
// CPU time of both ends hides on one machine. --size N is the number of parked tasks and sessions.
// R is the time of a GET through ioredis. Needs redis-server or valkey-server in PATH, or PROFFER_TEST_REDIS=host:port.
import "../scripts/node-version.mjs";
import { availableParallelism, loadavg } from "node:os";
import { parseArgs } from "node:util";
import { ensureBuilt } from "../scripts/build.mjs";
import { Failure, main, progress } from "../scripts/terminal.mjs";
import { openDistance } from "./lib/distance.mjs";
import { startEngine } from "./lib/engine.mjs";
import { startServer } from "./lib/server-process.mjs";
import { balance } from "./scenarios/nodes/balance.mjs";
import { listeners } from "./scenarios/nodes/listeners.mjs";
import { parked } from "./scenarios/nodes/parked.mjs";
import { resume } from "./scenarios/nodes/resume.mjs";
import { sessionCalls } from "./scenarios/nodes/session-calls.mjs";
import { taskCalls } from "./scenarios/nodes/task-calls.mjs";

/** Each returns rows: [name, budget, found, whether it is within the budget]. */
const SCENARIOS = { session: sessionCalls, task: taskCalls, resume, balance, listeners, parked };

await main(async () => {
  const { values } = parseArgs({
    options: {
      distance: { type: "string" },
      rounds: { type: "string", default: "7" },
      only: { type: "string" },
      size: { type: "string", default: "10000" },
    },
  });
  const chosen = values.only?.split(",") ?? Object.keys(SCENARIOS);
  const unknown = chosen.find((name) => !Object.hasOwn(SCENARIOS, name));
  if (unknown !== undefined) throw new Failure(`Unknown case "${unknown}". Use ${Object.keys(SCENARIOS).join(", ")}.`);
  await ensureBuilt();
  const engine = await startEngine();
  const distance = values.distance && (await openDistance(engine.port, Number(values.distance)));
  if (distance) engine.port = distance.port;
  process.env.REDIS = `${engine.host}:${engine.port}`;
  const { Redis } = await import("ioredis");
  const client = new Redis({ host: engine.host, port: engine.port });
  const start = (mode, flags) => startServer({ name: mode, file: "servers/node.mjs", mode }, "http", "", flags);
  console.log(`| case | budget | found | |\n|---|---|---|---|`);
  for (const name of chosen) {
    progress(name);
    await client.flushall();
    const bench = { client, start, rounds: Number(values.rounds), size: Number(values.size) };
    for (const [name, budget, found, isWithin] of await SCENARIOS[name](bench)) {
      const verdict = isWithin === undefined ? "" : isWithin ? "within" : "**above**";
      console.log(`| ${what} | ${budget} | ${found} | ${verdict} |`);
    }
  }
  const load = loadavg().map((value) => value.toFixed(1));
  console.log(
    `\n${availableParallelism()} cores, load average ${load.join(" ")}, ${new Date().toISOString().slice(0, 10)}`,
  );
  client.disconnect();
  if (distance) distance.close();
  engine.stop();
});
