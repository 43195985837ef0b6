// npm run faults: tasks on several nodes while nodes, Redis and connections fail. Prints losses and repetitions.
//   --only F2,F3   only these faults
//   --seeds N      runs of each fault with other choices: by default 20 in memory, 1 with processes
//   --seed N       the first seed; repeats the choices of a run
//   --tasks N      the tasks of each run with processes
//   --memory       only the runs in the memory of one process
//   --processes    only the runs with processes and a Redis or Valkey in PATH
import "./node-version.mjs";
import { parseArgs } from "node:util";
import { ensureBuilt } from "./build.mjs";
import { ensureInstalled } from "./npm.mjs";
import { Failure, main, progress, whenOrphaned } from "./terminal.mjs";

// The processes of a run end with this one.
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) process.once(signal, () => process.exit(130));
whenOrphaned(() => process.exit(130));

await main(async () => {
  const options = readOptions();
  ensureInstalled();
  await ensureBuilt();
  const { runFaults } = await import("../faults/run.mjs");
  const { describe } = await import("../faults/report.mjs");
  progress(`faults, --seed ${options.seed}`);
  const { rows, problems } = await runFaults(options, progress);
  process.stdout.write(describe(rows, options.seed));
  if (rows.length === 0) throw new Failure("no fault was run.");
  if (problems.length > 0) throw new Failure(`the promises were broken:\n  ${problems.join("\n  ")}`);
});

function readOptions() {
  const { values } = parseArgs({
    options: {
      only: { type: "string" },
      seeds: { type: "string" },
      seed: { type: "string", default: String(Date.now() % 1_000_000) },
      tasks: { type: "string" },
      memory: { type: "boolean", default: false },
      processes: { type: "boolean", default: false },
    },
  });
  const numbers = {};
  for (const name of ["seeds", "seed", "tasks"]) {
    if (values[name] === undefined) continue;
    numbers[name] = Number(values[name]);
    if (Number.isInteger(numbers[name]) && numbers[name] > (name === "seed" ? -1 : 0)) continue;
    throw new Failure(`--${name} is ${JSON.stringify(values[name])}: set it to a positive integer.`);
  }
  return { ...values, ...numbers, only: values.only?.split(",") };
}
