// npm run runtimes: checks the core, the transports, the command line and builds on other run-times, which are fetched
// from npm and kept in node_modules/.cache.
//   --only a,b     only these run-times: node20, node22, node24, bun, deno, workerd, or this, which fetches nothing
//   --check a,b    only these checks, which are the columns of the report
//   --update       fetch the newest versions again
import "./node-version.mjs";
import { parseArgs } from "node:util";
import { ensureBuilt } from "./build.mjs";
import { ensureInstalled } from "./npm.mjs";
import { Failure, main, progress, stylesFor } from "./terminal.mjs";

await main(async () => {
  ensureInstalled();
  const { RUNTIMES, THIS } = await import("../runtimes/catalog.mjs");
  const { CHECKS } = await import("../runtimes/checks.mjs");
  const { update, ...wanted } = readOptions();
  const chosen = choose("only", wanted.only, [...RUNTIMES, THIS]) ?? RUNTIMES;
  const checks = choose("check", wanted.check, CHECKS) ?? CHECKS;
  await ensureBuilt();
  const { fetchRuntime } = await import("../runtimes/fetch.mjs");
  const { createWorkplace } = await import("../runtimes/workplace.mjs");
  const runtimes = chosen.map((runtime) => (runtime === THIS ? THIS : fetchRuntime(runtime, update)));
  const workplace = createWorkplace();
  try {
    await checkAll(runtimes, checks, workplace);
  } finally {
    workplace.remove();
  }
});

function readOptions() {
  const { values } = parseArgs({
    options: { only: { type: "string" }, check: { type: "string" }, update: { type: "boolean", default: false } },
  });
  return values;
}

/** Returns the entries that a flag names; undefined without the flag. @throws {Failure} for an unknown name. */
function choose(flag, names, known) {
  if (names === undefined) return undefined;
  const wanted = names.split(",");
  const unknown = wanted.find((name) => !known.some((entry) => entry.name === name));
  if (unknown === undefined) return known.filter(({ name }) => wanted.includes(name));
  throw new Failure(`--${flag} has the unknown name ${unknown}. Known: ${known.map(({ name }) => name).join(", ")}.`);
}

/** Runs every check on every run-time, then prints the table. @throws {Failure} if one fails or nothing was checked. */
async function checkAll(runtimes, checks, workplace) {
  const { runCheck } = await import("../runtimes/checks.mjs");
  const { table } = await import("../bench/report/table.mjs");
  const failures = [];
  const rows = [];
  for (const runtime of runtimes) {
    const { title, name, version = "", missing } = runtime;
    const cells = [];
    for (const check of checks) cells.push(await runCell(check, runtime, workplace, runCheck, failures));
    rows.push([missing === undefined ? `${title} ${version}` : `${name}: SKIPPED`, ...cells]);
  }
  process.stdout.write(`\n${table(["", ...checks.map(({ name }) => name)], rows).join("\n")}\n`);
  const skipped = runtimes.filter(({ missing }) => missing !== undefined);
  const { bold } = stylesFor(process.stdout);
  for (const { name, missing } of skipped) process.stdout.write(`${bold("SKIPPED")} ${name}: ${missing}\n`);
  if (failures.length > 0) throw new Failure(`${failures.length} checks failed:\n${failures.join("\n")}`);
  if (skipped.length === runtimes.length) throw new Failure("No run-time could be fetched, so nothing was checked.");
}

async function runCell(check, runtime, workplace, runCheck, failures) {
  if (!check.applies(runtime)) return "—";
  if (runtime.missing !== undefined) return "skipped";
  try {
    await runCheck(check, runtime, workplace);
    progress(`${runtime.name} ${check.name}: ok`);
    return "ok";
  } catch (error) {
    progress(`${runtime.name} ${check.name}: FAILED`);
    failures.push(`  ${runtime.name}, ${check.name}: ${error.message.replaceAll("\n", "\n    ")}`);
    return "FAILED";
  }
}
