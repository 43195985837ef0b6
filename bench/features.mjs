// Measures what a feature adds to a small call: node bench/features.mjs [--only middleware,observer] [--rounds 9]
// [--requests 1600] [--warm 8000]. Servers take turns, and the best rounds are compared; see bench/README.md.
import "../scripts/node-version.mjs";
import { parseArgs } from "node:util";
import { ensureBuilt } from "../scripts/build.mjs";
import { Failure, main } from "../scripts/terminal.mjs";
import { load, serialise } from "./lib/http-load.mjs";
import { startServer } from "./lib/server-process.mjs";

/** The features of servers/features.mjs: what is measured, and how often the CPU without the feature it may take. */
const FEATURES = {
  middleware: { title: "one middleware ÷ none", budget: 1.1 },
  observer: { title: "telemetry() without an SDK ÷ none", budget: 1.05 },
  telemetry: { title: "telemetry() with an SDK, no exporter ÷ none", budget: 1.35 },
};

const OPTIONS = {
  only: { type: "string" },
  rounds: { type: "string", default: "9" },
  requests: { type: "string", default: "1600" },
  warm: { type: "string", default: "8000" },
};

await main(async () => {
  const { values } = parseArgs({ options: OPTIONS });
  const chosen = values.only?.split(",") ?? Object.keys(FEATURES);
  const unknown = chosen.find((name) => !Object.hasOwn(FEATURES, name));
  if (unknown !== undefined)
    throw new Failure(`Unknown feature "${unknown}". Use ${Object.keys(FEATURES).join(", ")}.`);
  await ensureBuilt();
  const jobs = await Promise.all(["none", ...chosen].map(start));
  for (const job of jobs) await run(job, Number(values.warm));
  for (let round = 0; round < Number(values.rounds); round++) {
    for (const job of jobs) job.cpu.push(await run(job, Number(values.requests)));
  }
  const [none, ...features] = jobs;
  console.log(`none: ${best(none).toFixed(1)} µs of server CPU per call (best round)`);
  for (const job of features) {
    const { title, budget } = FEATURES[job.name];
    const ratio = best(job) / best(none);
    const medians = median(job.cpu) / median(none.cpu);
    const verdict = ratio <= budget ? "within" : "above";
    console.log(`${title}: ${ratio.toFixed(2)} (medians ${medians.toFixed(2)}), ${verdict} the budget of ${budget}`);
  }
  await Promise.all(jobs.map(({ server }) => server.stop()));
});

async function start(name) {
  const server = await startServer({ name, file: "servers/features.mjs", mode: name }, "http", "");
  const work = { era: "modern", method: "tools/call", params: [{ name: "add", arguments: { a: 1, b: 2 } }], count: 64 };
  return { name, server, requests: serialise(server.port, work), cpu: [] };
}

/** Sends requests one after the other on four connections; returns the CPU of each in µs. */
async function run({ server, requests }, count) {
  const before = server.cpuMicros;
  await load(server.port, requests, { inFlight: 4, seconds: 600, count });
  return (server.cpuMicros - before) / count;
}

function best({ cpu }) {
  return Math.min(...cpu);
}

function median(values) {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)];
}
