// npm run types-zoo: derives functions whose types come from npm packages, and compares the schemas with TypeScript
// and the results with what the packages return.
//   --only a,b     only these files of zoo/cases
//   --json         print the results as JSON
//   --write        write zoo/results.md
import "./node-version.mjs";
import { writeFileSync } from "node:fs";
import { register } from "node:module";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { ensureBuilt } from "./build.mjs";
import { ensureInstalled, npm, root } from "./npm.mjs";
import { Failure, main, progress, stylesFor } from "./terminal.mjs";

const OPTIONS = {
  only: { type: "string" },
  json: { type: "boolean", default: false },
  write: { type: "boolean", default: false },
};

await main(async () => {
  const options = readOptions();
  ensureInstalled();
  register("./typescript-hooks.mjs", import.meta.url);
  const { caseFileNames, ensurePackages } = await import("../zoo/packages.ts");
  const { runProjects } = await import("../zoo/projects.ts");
  const names = choose(options.only, [...caseFileNames(), "projects"]);
  ensurePackages(npm, progress);
  await ensureBuilt();
  const { createWorkplace } = await import("../zoo/workplace.ts");
  const workplace = createWorkplace();
  try {
    const results = await runAll(
      names.filter((name) => name !== "projects"),
      workplace,
    );
    if (names.includes("projects")) results.push(await runProjects(workplace));
    await report(results, await import("../zoo/report.ts"), options);
  } finally {
    workplace.remove();
  }
});

function readOptions() {
  let values;
  try {
    ({ values } = parseArgs({ options: OPTIONS }));
  } catch (error) {
    throw new Failure(`${error.message}\nUsage: npm run types-zoo -- [--only a,b] [--json] [--write]`);
  }
  if (values.write && values.only) throw new Failure("--write needs the results of all cases: remove --only.");
  return values;
}

/** Returns the case files that --only names. @throws {Failure} for an unknown name. */
function choose(only, known) {
  if (only === undefined) return known;
  const wanted = only.split(",");
  const unknown = wanted.find((name) => !known.includes(name));
  if (unknown === undefined) return wanted;
  throw new Failure(`--only has the unknown name ${unknown}. Known: ${known.join(", ")}.`);
}

async function runAll(names, workplace) {
  const { runFile } = await import("../zoo/run.ts");
  const results = [];
  for (const name of names) {
    const result = await runFile(name, workplace);
    results.push(result);
    const failed = result.cases.filter(({ expected }) => !expected).length;
    const state = result.skipped ? "SKIPPED" : result.broken ? "WRONG CASE FILE" : `${result.cases.length - failed}`;
    progress(`${name}: ${state} of ${result.cases.length}`);
  }
  return results;
}

/** Prints the results. @throws {Failure} if a case is not as expected. */
async function report(results, { listFailures, writePage, writeTables }, { json, write }) {
  const { table } = await import("../bench/report/table.mjs");
  if (json) process.stdout.write(`${JSON.stringify(results, null, 2)}\n`);
  else process.stdout.write(`\n${writeTables(results, table)}\n`);
  if (write) writeFileSync(join(root, "zoo/results.md"), writePage(results, table));
  const { bold } = stylesFor(process.stderr);
  for (const { name, skipped } of results) {
    if (skipped !== undefined) process.stderr.write(`${bold("SKIPPED")} ${name}: ${skipped}\n`);
  }
  const failures = listFailures(results);
  if (failures.length === 0) return;
  throw new Failure(`${failures.length} failures:\n${failures.map((line) => `  ${line}`).join("\n")}`);
}
