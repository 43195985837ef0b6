// npm run clients: tries the samples and examples in real clients, and compares what reached their models with the table.
//   --only codex,opencode   only these clients
//   --quick                 without the examples, the frameworks and the work of 90 seconds
//   --accept-terms          downloads the clients that are not in the cache, and accepts their terms
//   --write                 write the measured cells, and the table in docs/clients.md
//   --json                  print everything that was seen as JSON
import "./node-version.mjs";
import { spawnSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { register } from "node:module";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { ensureBuilt } from "./build.mjs";
import { ensureInstalled, ensureInstalledIn, root } from "./npm.mjs";
import { Failure, main, progress, stylesFor } from "./terminal.mjs";

const OPTIONS = {
  only: { type: "string" },
  quick: { type: "boolean", default: false },
  "accept-terms": { type: "boolean", default: false },
  write: { type: "boolean", default: false },
  json: { type: "boolean", default: false },
};
/** The examples that run without anything else. */
const EXAMPLES = [
  "algocline/server.ts",
  "birds/server.ts",
  "conformance/server.ts",
  "logtalk-tour/server.ts",
  "quickstart/server.ts",
  "sales-orders/demo.ts",
];
const MEASURED = join(root, "packages/cli/src/profiles/measured.ts");
const PAGE = join(root, "docs/clients.md");

await main(async () => {
  const { values: options } = parseArgs({ options: OPTIONS });
  ensureInstalled();
  register("./typescript-hooks.mjs", import.meta.url);
  await ensureBuilt();
  const { PROGRAMS, findProgram } = await import("../packages/cli/src/lab/programs.ts");
  const { describeChecks, describeFrameworks, describeMeasured } = await import("../lab/table.ts");
  const programs = options.only?.split(",").map(findProgram) ?? PROGRAMS;
  if (options.write && (options.only || options.quick))
    throw new Failure("--write needs everything: remove --only and --quick.");
  requireLoopback(await import("../packages/cli/src/lab/enclosure.ts"));
  const rows = [];
  const problems = [];
  for (const program of programs) rows.push(await tryProgram(program, options, problems));
  const frameworks = options.only || options.quick ? [] : await frameworkRows();
  const tables = [describeChecks(rows), ...(frameworks.length > 0 ? [describeFrameworks(frameworks)] : [])].join("\n");
  process.stdout.write(options.json ? `${JSON.stringify({ clients: rows, frameworks })}\n` : tables);
  const skipped = [...rows, ...frameworks].filter((row) => row.skipped !== undefined);
  const { red } = stylesFor(process.stderr);
  for (const { title, framework, skipped: reason } of skipped)
    progress(red(`SKIPPED: ${title ?? framework}: ${reason}`));
  progress(
    `${rows.length + frameworks.length - skipped.length} clients and frameworks tried, ${skipped.length} skipped`,
  );
  if (options.write) {
    if (skipped.length > 0) throw new Failure("--write needs all clients, but some were skipped.");
    writeMeasured(describeMeasured(rows), tables, rows[0].day);
  }
  if (problems.length > 0) throw new Failure(`the table of clients is wrong:\n  ${problems.join("\n  ")}`);
});

async function tryProgram(program, options, problems) {
  const { converse } = await import("../lab/conversations.ts");
  const { compareCells, expected, measure } = await import("../lab/cells.ts");
  const { promises } = await import("../lab/checks.ts");
  const { PROFILES } = await import("../packages/cli/src/profiles/table.ts");
  const { id, title, version } = program;
  const row = { id, title, version, day: new Date().toISOString().slice(0, 10) };
  const skipped = await provide(program, options);
  if (skipped !== undefined) return { ...row, skipped };
  const seen = await converse(program, { examples: options.quick ? [] : EXAMPLES, work: !options.quick }, progress);
  const measured = measure(seen);
  const profile = PROFILES.find((each) => each.id === id);
  problems.push(...compareCells(profile, measured, expected(profile, seen)), ...promises(title, seen));
  return { ...row, seen, measured };
}

/** Installs the frameworks once, as the lock file says, and tries them. */
async function frameworkRows() {
  try {
    ensureInstalledIn("lab/converters");
  } catch (error) {
    // Each framework is skipped then.
    progress(stylesFor(process.stderr).red(error.message));
  }
  const { tryFrameworks } = await import("../lab/frameworks.ts");
  return tryFrameworks(progress);
}

/** Has a program ready; returns the reason if it cannot be had. */
async function provide(program, { "accept-terms": isAccepted }) {
  const { download, isCached } = await import("../packages/cli/src/lab/program-cache.ts");
  const { pinOf } = await import("../packages/cli/src/lab/programs.ts");
  try {
    const pin = pinOf(program);
    if (isCached(pin)) return undefined;
    if (!isAccepted) return `it is not in the cache; --accept-terms downloads it (${program.terms})`;
    progress(`downloading ${program.title} ${program.version}`);
    download(pin);
    return undefined;
  } catch (error) {
    return error.message;
  }
}

function requireLoopback({ findObstacle }) {
  const obstacle = findObstacle();
  if (obstacle !== undefined) throw new Failure(`clients could reach the network here: ${obstacle}.`);
}

function writeMeasured(module, table, day) {
  writeFileSync(MEASURED, module);
  spawnSync("npx", ["biome", "check", "--write", MEASURED], { cwd: root, stdio: "ignore" });
  const [start, end] = ["<!-- measured -->\n", "<!-- /measured -->\n"];
  const page = readFileSync(PAGE, "utf8");
  const [before, rest] = page.split(start);
  if (rest === undefined) throw new Failure(`docs/clients.md has no ${start}`);
  writeFileSync(PAGE, `${before}${start}Measured on ${day}:\n\n${table}${rest.slice(rest.indexOf(end))}`);
}
