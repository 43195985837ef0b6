import { fork, spawn } from "node:child_process";
import { createRequire } from "node:module";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import type { Examination } from "./examine.ts";
import type { Work } from "./worker.ts";

/** Megabytes of heap for each process. A derivation that needs more crashes. */
const HEAP = 4096;
/** A derivation is given this many times the time of tsc, and a minute in any case. */
const PATIENCE = 30;
const MINIMUM = 60_000;

const here = (path: string) => fileURLToPath(new URL(path, import.meta.url));
const tsc = createRequire(import.meta.url).resolve("typescript/lib/tsc.js");
export const cli = here("../packages/proffer/dist/bin.js");

/** The cost of a process. */
export interface Cost {
  /** Milliseconds from start to end. */
  readonly time: number;
  /** Microseconds of CPU time, which a busy machine changes less. */
  readonly cpu: number;
  /** Peak resident memory in kilobytes. */
  readonly memory: number;
}

/** Measures `tsc --noEmit` on the module of a folder. */
export function measureTsc(folder: string): Promise<Cost | undefined> {
  return measure([tsc, "-p", folder, "--noEmit"], folder, 600_000);
}

/** Measures `proffer check` on the module of a folder; undefined if it does not end in time. */
export function measureCheck(folder: string, base: Cost): Promise<Cost | undefined> {
  return measure([cli, "check", join(folder, "module.ts"), "--json"], folder, limitFor(base));
}

async function measure(args: string[], cwd: string, limit: number): Promise<Cost | undefined> {
  const start = performance.now();
  const flags = [`--max-old-space-size=${HEAP}`, "--import", here("./usage.mjs")];
  const child = spawn(process.execPath, [...flags, ...args], { cwd, stdio: ["ignore", "ignore", "ignore", "pipe"] });
  const timer = setTimeout(() => child.kill("SIGKILL"), limit);
  const report = await text(child.stdio[3] as NodeJS.ReadableStream);
  clearTimeout(timer);
  return report === "" ? undefined : { time: performance.now() - start, ...JSON.parse(report) };
}

/** The result of a worker, or why it did not end well. */
export type Outcome = { examination: Examination } | { error: string } | { crash: string };

/** Examines a case file in a process of its own. */
export function runWorker(work: Work, base: Cost): Promise<Outcome> {
  return new Promise((resolve) => {
    const worker = fork(here("../scripts/zoo-worker.mjs"), [JSON.stringify(work)], {
      stdio: ["ignore", "ignore", "pipe", "ipc"],
      execArgv: [`--max-old-space-size=${HEAP}`],
    });
    let printed = "";
    worker.stderr?.setEncoding("utf8").on("data", (part: string) => {
      printed = (printed + part).slice(-2_000);
    });
    let outcome: Outcome | undefined;
    const limit = limitFor(base);
    const timer = setTimeout(() => {
      outcome = { crash: `no result after ${Math.round(limit / 1000)} s; tsc needs ${Math.round(base.time / 1000)} s` };
      worker.kill("SIGKILL");
    }, limit);
    worker.on("message", (message: Outcome) => {
      outcome = message;
    });
    worker.on("exit", (code, signal) => {
      clearTimeout(timer);
      resolve(outcome ?? { crash: `the process ended with ${signal ?? `exit code ${code}`}: ${lastLine(printed)}` });
    });
  });
}

function limitFor({ time }: Cost): number {
  return Math.max(MINIMUM, PATIENCE * time);
}

function lastLine(printed: string): string {
  return /^.*(?:FATAL|Error).*$/m.exec(printed)?.[0] ?? printed.trim().slice(-200);
}
