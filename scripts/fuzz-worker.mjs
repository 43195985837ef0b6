// The process in which scripts/fuzz.mjs runs the targets, so that it notices a crash or an endless loop.
import { register } from "node:module";
import fc from "fast-check";

register("./typescript-hooks.mjs", import.meta.url);
const { targets } = await import("../fuzz/targets.ts");
const { readSeeds } = await import("../fuzz/seeds.ts");

/** The time for one target before the next one has its turn. */
const TURN = 2_000;

const { names, seed: first, path } = JSON.parse(process.argv[2]);
// The parent decides when to stop; Ctrl-C reaches both.
process.on("SIGINT", () => {});
process.on("disconnect", () => process.exit());

const chosen = targets.filter(({ name }) => names.length === 0 || names.includes(name));
const opened = await Promise.all(chosen.map(async (target) => ({ ...target, ...(await target.open()) })));

if (path !== undefined) {
  for (const target of opened) await check(target, { seed: first, path, numRuns: 1 });
  process.exit();
}
for (const target of opened) {
  const examples = readSeeds(target.name);
  if (examples.length > 0) await check(target, { seed: first, examples, numRuns: examples.length });
}
for (let seed = first; ; seed = (seed + 1) & 0x7fffffff) {
  for (const target of opened) await check(target, { seed, numRuns: 1e9, interruptAfterTimeLimit: TURN });
}

/** Runs cases of a target and reports them; ends the process after a failure. */
async function check({ name, property }, options) {
  const { seed } = options;
  await send({ name, seed, runs: 0 });
  const details = await fc.check(property, { maxSkipsPerRun: 1e6, ...options });
  const failure = details.failed && {
    // The kept cases run first in every run, so they need no path.
    path: options.examples === undefined ? details.counterexamplePath : undefined,
    counterexample: details.counterexample,
    error: String(details.errorInstance?.stack ?? details.errorInstance ?? "no case ran"),
  };
  await send({ name, seed, runs: details.numRuns, failure });
  if (failure) process.exit();
}

function send(report) {
  return new Promise((resolve) => process.send(report, resolve));
}
