// npm test: installs missing packages, builds stale ones, then runs the quick checks.
// npm run test:all: the same, then the checks that are exhaustive or about the machine (*.all.test.ts, the packages).
//   --rest            runs only the second half of test:all
//   --go-on           continues after a failure
//   --only=a,b        runs only the checks whose names start with one of these
// Every other argument goes to vitest: npm test -- packages/proffer/src/uri
import "./node-version.mjs";
import { spawn } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { ensureBuilt } from "./build.mjs";
import { ensureInstalled, root } from "./npm.mjs";
import { main, stylesFor } from "./terminal.mjs";

const args = process.argv.slice(2).filter((arg) => arg !== "--");
const flags = ["--all", "--rest", "--go-on"];
const goOn = args.includes("--go-on");
const only = args.find((arg) => arg.startsWith("--only="));
const vitestArgs = args.filter((arg) => !flags.includes(arg) && arg !== only);
const packages = readdirSync(join(root, "packages"));

/** The checks of a stage run concurrently, the stages one after the other: first those that find a mistake early. */
const quick = [
  [
    { name: "biome", command: ["biome", "check", "--error-on-warnings", "."] },
    { name: "types", command: ["tsc", "-p", "."] },
    { name: "types without Node", command: ["tsc", "-p", "packages/proffer/tsconfig.neutral.json"] },
    { name: "types of the page", command: ["tsc", "-p", "packages/inspector/src/page"] },
  ],
  [{ name: "vitest", run: () => runVitest("quick") }],
];

/** Tests that are exhaustive or about the machine, and the packages to publish. */
const rest = [
  [
    ...packages.map((name) => ({ name: `publint ${name}`, command: ["publint", `packages/${name}`, "--strict"] })),
    ...packages.map((name) => ({
      name: `attw ${name}`,
      command: ["attw", "--pack", `packages/${name}`, "--profile", "esm-only"],
    })),
    { name: "size", command: ["size-limit"] },
    { name: "knip", command: ["knip"] },
  ],
  [{ name: "vitest of the rest", run: () => runVitest("rest") }],
];

const stages = [
  ...(args.includes("--rest") ? [] : quick),
  ...(args.includes("--all") || args.includes("--rest") ? rest : []),
];

const { bold, dim, green, red } = stylesFor(process.stdout);
const totals = { passed: 0, failed: 0, skipped: 0 };

await main(async () => {
  try {
    await timed("installation", ensureInstalled);
    await timed("build", ensureBuilt);
    await timed("checks", runChecks);
  } catch (error) {
    totals.failed += 1;
    throw error;
  } finally {
    const { passed, failed, skipped } = totals;
    process.stdout.write(`\n${passed} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ""}\n`);
    process.exitCode = failed > 0 ? 1 : 0;
  }
});

/** Runs a part of the command and prints its time: the checks have a budget, the others depend on the network. */
async function timed(name, work) {
  const [start, cpu] = [Date.now(), childrenCpu()];
  try {
    await work();
  } finally {
    const used = cpu === undefined ? "" : `, ${minutes(childrenCpu() - cpu)} of CPU`;
    process.stdout.write(dim(`${name}: ${minutes((Date.now() - start) / 1000)}${used}\n`));
  }
}

function minutes(seconds) {
  return seconds < 60 ? `${seconds.toFixed(1)} s` : `${(seconds / 60).toFixed(1)} min`;
}

/** The CPU seconds of all processes that this one started and that have ended; only Linux tells. */
function childrenCpu() {
  try {
    // The name of the program, in parentheses, may contain spaces. The ticks of Linux are hundredths of a second.
    const fields = readFileSync("/proc/self/stat", "utf8").split(") ")[1].split(" ");
    return (Number(fields[13]) + Number(fields[14])) / 100;
  } catch {
    return undefined;
  }
}

async function runChecks() {
  const chosen = only ? only.slice("--only=".length).split(",") : [""];
  for (const stage of stages) {
    const checks = stage.filter(({ name }) => chosen.some((prefix) => name.startsWith(prefix)));
    const passed = await Promise.all(checks.map(runCheck));
    if (passed.includes(false) && !goOn) return;
  }
}

async function runCheck(check) {
  const start = Date.now();
  const ok = await (check.run ?? runTool)(check);
  const seconds = ((Date.now() - start) / 1000).toFixed(1);
  process.stdout.write(`${ok ? green("✓") : red("✗")} ${bold(check.name)} ${dim(`${seconds} s`)}\n`);
  return ok;
}

/** Runs a tool and prints its output only if it fails. A failure counts as one failed test. */
async function runTool({ command }) {
  const { code, output } = await run(command, "pipe");
  if (code === 0) return true;
  process.stdout.write(output);
  totals.failed += 1;
  return false;
}

/** Runs a project of vitest.config.ts with its output visible, and reads the totals from its JSON report. */
async function runVitest(project) {
  const folder = mkdtempSync(join(tmpdir(), "proffer-test-"));
  const report = join(folder, "report.json");
  const reporters = ["--reporter=default", "--reporter=json", `--outputFile.json=${report}`];
  const { code } = await run(["vitest", "run", `--project=${project}`, ...reporters, ...vitestArgs], "inherit");
  const counts = readReport(report);
  rmSync(folder, { recursive: true });
  totals.passed += counts.numPassedTests;
  totals.skipped += counts.numPendingTests + counts.numTodoTests;
  // A file that cannot be loaded or an unhandled error fails the run without failing any test.
  totals.failed += code === 0 ? 0 : Math.max(1, counts.numFailedTests);
  return code === 0;
}

function readReport(file) {
  try {
    return JSON.parse(readFileSync(file, "utf8"));
  } catch {
    // vitest ended before it wrote a report; its exit code shows the failure.
    return { numPassedTests: 0, numFailedTests: 0, numPendingTests: 0, numTodoTests: 0 };
  }
}

function run([name, ...rest], stdout) {
  const bin = join(root, "node_modules/.bin");
  const child = spawn(name, rest, {
    cwd: root,
    stdio: ["ignore", stdout, stdout],
    shell: process.platform === "win32",
    env: { ...process.env, PATH: `${bin}${delimiter}${process.env.PATH}` },
  });
  let output = "";
  child.stdout?.setEncoding("utf8").on("data", (text) => (output += text));
  child.stderr?.setEncoding("utf8").on("data", (text) => (output += text));
  return new Promise((resolve, reject) => {
    child.once("error", reject);
    child.once("close", (code) => resolve({ code, output }));
  });
}
