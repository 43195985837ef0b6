// Runs the fuzz targets for some minutes: npm run fuzz -- [--minutes N] [--target name]... [--seed N [--path P]]
import "./node-version.mjs";
import { fork } from "node:child_process";
import { mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { join, relative } from "node:path";
import { parseArgs } from "node:util";
import { ensureInstalled, root } from "./npm.mjs";
import { Failure, main, stylesFor } from "./terminal.mjs";

const USAGE = "Usage: npm run fuzz -- [--minutes N] [--target name]... [--seed N [--path P]]";
/** A turn of a target takes two seconds. */
const SILENCE = 120_000;
const { bold, dim, green, red } = stylesFor(process.stdout);

await main(async () => {
  ensureInstalled();
  const options = readOptions();
  const state = { executions: new Map(), started: undefined, current: undefined, heard: performance.now() };
  process.stdout.write(`${bold("fuzz")} seed ${options.seed}, ${options.minutes} minutes, Ctrl-C stops\n`);
  const finding = await run(options, state);
  printSummary(state);
  if (finding === undefined) return;
  if (finding.name === undefined) throw new Failure(`fuzzing could not start: ${finding.error}`);
  throw new Failure(describeFinding(finding, keep(finding)));
});

function readOptions() {
  const targets = readdirSync(join(root, "fuzz/seeds")).map((file) => file.replace(".json", ""));
  try {
    const { values } = parseArgs({
      options: {
        minutes: { type: "string", default: "10" },
        target: { type: "string", multiple: true, default: [] },
        seed: { type: "string", default: String(Date.now() & 0x7fffffff) },
        path: { type: "string" },
      },
    });
    const minutes = Number(values.minutes);
    const seed = Number(values.seed);
    if (!(minutes > 0)) throw new Error(`--minutes must be a positive number, not ${values.minutes}.`);
    if (!(Number.isInteger(seed) && seed >= 0))
      throw new Error(`--seed must be an integer from 0, not ${values.seed}.`);
    const unknown = values.target.find((name) => !targets.includes(name));
    if (unknown !== undefined) throw new Error(`Unknown target ${unknown}. Targets: ${targets.join(", ")}.`);
    return { minutes, seed, names: values.target, path: values.path };
  } catch (error) {
    throw new Failure(`${error.message}\n${USAGE}`);
  }
}

/** Runs the worker until the time is over; resolves with the finding, if there is one. */
function run({ minutes, ...work }, state) {
  return new Promise((resolve) => {
    const worker = fork(new URL("./fuzz-worker.mjs", import.meta.url), [JSON.stringify(work)], {
      stdio: ["ignore", "inherit", "pipe", "ipc"],
      execArgv: ["--enable-source-maps"],
    });
    let printed = "";
    worker.stderr.setEncoding("utf8").on("data", (text) => {
      printed = (printed + text).slice(-10_000);
    });
    const ticker = setInterval(tick, process.stdout.isTTY ? 200 : 10_000);
    let timer;
    const stop = () => finish(undefined);
    process.on("SIGINT", stop);

    function tick() {
      printProgress(state);
      const silent = performance.now() - state.heard;
      if (silent > SILENCE) finish({ ...state.current, error: `no answer for ${Math.round(silent / 1000)} s` });
    }
    function finish(finding) {
      clearInterval(ticker);
      clearTimeout(timer);
      process.off("SIGINT", stop);
      worker.removeAllListeners("exit");
      worker.kill("SIGKILL");
      resolve(finding);
    }
    worker.on("message", ({ name, seed, runs, failure }) => {
      // The time begins when the modules are loaded.
      timer ??= setTimeout(() => finish(undefined), minutes * 60_000);
      state.started ??= performance.now();
      state.current = { name, seed };
      state.heard = performance.now();
      state.executions.set(name, (state.executions.get(name) ?? 0) + runs);
      if (failure) finish({ name, seed, ...failure });
    });
    worker.on("exit", (code) => {
      if (code === 0) finish(undefined);
      else finish({ ...state.current, error: `the process ended with exit code ${code}:\n${printed}` });
    });
  });
}

function printProgress({ executions, started, current }) {
  const seconds = elapsed(started);
  const total = [...executions.values()].reduce((sum, count) => sum + count, 0);
  const rate = Math.round(total / Math.max(1, seconds));
  const parts = [`${format(total)} executions`, `${format(rate)}/s`, current?.name ?? "starting", clock(seconds)];
  const line = dim(parts.join(" · "));
  process.stdout.write(process.stdout.isTTY ? `\r\u001b[2K${line}` : `${line}\n`);
}

function printSummary({ executions, started }) {
  if (process.stdout.isTTY) process.stdout.write("\r\u001b[2K");
  for (const [name, count] of executions) {
    process.stdout.write(`${name.padEnd(12)} ${format(count).padStart(12)} executions\n`);
  }
  process.stdout.write(`${green("done")} after ${clock(elapsed(started))}\n`);
}

/** Writes a finding to a file. */
function keep({ name, seed, ...finding }) {
  const folder = join(root, "fuzz/findings");
  mkdirSync(folder, { recursive: true });
  const file = join(folder, `${name}-${seed}.json`);
  writeFileSync(file, `${JSON.stringify({ target: name, seed, ...finding }, null, 2)}\n`);
  return relative(root, file);
}

function describeFinding({ name, seed, path, counterexample, error }, file) {
  const replay = `npm run fuzz -- --target ${name} --seed ${seed}${path === undefined ? "" : ` --path ${path}`}`;
  const shown = counterexample === undefined ? "" : `\n  ${JSON.stringify(counterexample).slice(0, 2_000)}`;
  const kept = counterexample === undefined ? "" : `\n  Keep it:  add "counterexample" to fuzz/seeds/${name}.json`;
  return `${name} found a failing case:${shown}\n  ${red(error.trim())}\n  Replay:   ${replay}\n  Written:  ${file}${kept}`;
}

function elapsed(started) {
  return started === undefined ? 0 : (performance.now() - started) / 1000;
}

function format(count) {
  return count.toLocaleString("en-US");
}

function clock(seconds) {
  return `${Math.floor(seconds / 60)}:${String(Math.floor(seconds % 60)).padStart(2, "0")}`;
}
