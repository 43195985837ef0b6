// npm run soak: honest and hostile clients against one server, then the randomized tests with more rounds.
//   --minutes N    length of the load, 30 by default
//   --seed N       repeats the choices of a run
//   --only a,b     only the attacks whose names contain one of these
//   --load         only the load
//   --tests        only the randomized tests
// Ctrl-C ends the load early, with its report.
import "./node-version.mjs";
import { parseArgs } from "node:util";
import { ensureBuilt } from "./build.mjs";
import { ensureInstalled } from "./npm.mjs";
import { Failure, main, progress } from "./terminal.mjs";

/** npm may pass one Ctrl-C on a second time. */
const REPEATED = 2_000;

await main(async () => {
  const options = readOptions();
  ensureInstalled();
  await ensureBuilt();
  const ended = options.tests ? false : await runLoad(options);
  if (!options.load && !ended) await runTests();
});

function readOptions() {
  const { values } = parseArgs({
    options: {
      minutes: { type: "string", default: "30" },
      seed: { type: "string", default: String(Date.now() % 1_000_000) },
      only: { type: "string" },
      load: { type: "boolean", default: false },
      tests: { type: "boolean", default: false },
    },
  });
  const minutes = Number(values.minutes);
  const seed = Number(values.seed);
  if (!(minutes > 0)) throw new Failure(`--minutes is ${JSON.stringify(values.minutes)}: set it to a positive number.`);
  if (!Number.isInteger(seed)) throw new Failure(`--seed is ${JSON.stringify(values.seed)}: set it to an integer.`);
  return { ...values, minutes, seed, only: values.only?.split(",") };
}

/** Returns true if Ctrl-C ended it. */
async function runLoad({ minutes, seed, only }) {
  const { Soak } = await import("../soak/run.mjs");
  const { describe, findProblems } = await import("../soak/report.mjs");
  progress(`soak of ${minutes} minutes, --seed ${seed}`);
  const soak = new Soak({ minutes, seed, only, say: progress });
  process.on("SIGINT", stopOrExit(soak));
  await soak.run();
  process.stdout.write(describe(soak, seed));
  const problems = findProblems(soak);
  if (problems.length > 0) throw new Failure(`the soak failed:\n  ${problems.join("\n  ")}`);
  return soak.stopped;
}

/** The first signal ends the run with its report, a later one without. */
function stopOrExit(soak) {
  let first = 0;
  return () => {
    first ||= Date.now();
    if (Date.now() - first > REPEATED) process.exit(130);
    soak.stop();
  };
}

async function runTests() {
  const { runTests: run } = await import("../soak/tests.mjs");
  progress("randomized tests with more rounds");
  const code = await run();
  if (code !== 0) throw new Failure(`the tests ended with exit code ${code}.`);
}
