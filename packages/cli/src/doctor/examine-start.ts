import { spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import type { Launch } from "../install/launch.ts";
import { ownVersion } from "../modules/packages.ts";
import { isObject, parseJson } from "../terminal/json.ts";
import { redact } from "../terminal/redact.ts";
import { currentShell } from "../terminal/shell.ts";
import type { Finding } from "./finding.ts";

/** In milliseconds. Clients time out after 10 to 60 seconds, and other machines may be slower than this one. */
const SLOW = 3000;
const TIMEOUT = 30_000;
/**
 * How long to read stdout after the first response, in milliseconds. Child processes bypass the reservation of stdout, and
 * a module usually starts them while it loads.
 */
const OUTPUT_WINDOW = 500;

const INITIALIZE = {
  jsonrpc: "2.0",
  id: 1,
  method: "initialize",
  params: { protocolVersion: "2025-06-18", capabilities: {}, clientInfo: { name: "proffer", version: ownVersion() } },
};

/** Starts a server like a client does, and checks its startup time and its output. */
export async function examineStart({ command, args, env }: Launch): Promise<Finding[]> {
  const started = performance.now();
  const { cwd, env: shell } = currentShell();
  const child = spawn(command, args, { stdio: ["pipe", "pipe", "pipe"], cwd, env: { ...shell, ...env } });
  let errors = "";
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    errors = `${errors}${text}`.slice(-4000);
  });
  child.stdin.on("error", () => {});
  const stray: string[] = [];
  const answered = new Promise<number | undefined>((resolve) => {
    const timer = setTimeout(() => resolve(undefined), TIMEOUT);
    const end = (value: number | undefined) => {
      clearTimeout(timer);
      resolve(value);
    };
    createInterface({ input: child.stdout }).on("line", (line) => {
      const message = parseJson(line);
      const isMessage = isObject(message) && message.jsonrpc === "2.0";
      if (!isMessage) stray.push(line);
      else if (message.id === INITIALIZE.id) end(performance.now() - started);
    });
    child.once("error", () => end(undefined));
    child.once("close", () => end(undefined));
  });
  child.stdin.write(`${JSON.stringify(INITIALIZE)}\n`);
  const milliseconds = await answered;
  if (milliseconds !== undefined) await new Promise((resolve) => setTimeout(resolve, OUTPUT_WINDOW));
  const broke = milliseconds !== undefined && child.exitCode !== null;
  child.stdin.end();
  child.kill();
  if (milliseconds === undefined || broke) return [silent(errors)];
  return [judgeTime(milliseconds), judgeOutput(stray)];
}

function judgeTime(milliseconds: number): Finding {
  const message = `The server responds ${Math.round(milliseconds)} ms after its start.`;
  if (milliseconds < SLOW) return { level: "good", message };
  return {
    level: "warning",
    message,
    remedy:
      "Clients time out after some seconds. Import large dependencies when they are needed, or run proffer build.",
  };
}

function judgeOutput(stray: readonly string[]): Finding {
  const [first] = stray;
  if (first === undefined) return { level: "good", message: "The server writes only protocol messages to stdout." };
  return {
    level: "error",
    message: `The server writes more than protocol messages to stdout: ${JSON.stringify(first.slice(0, 80))}`,
    remedy:
      "Write other text to stderr. In a module of Proffer, a child process did it: start it with stdio: ['ignore', 'pipe', 'inherit'].",
  };
}

function silent(errors: string): Finding {
  return {
    level: "error",
    message: `The server does not start, or exits immediately.${errors === "" ? "" : `\n${errors.trimEnd()}`}`,
    remedy: "Fix the error above; proffer serve shows the full output.",
  };
}

/** In characters: the part that is cut off must not be the end of a secret. */
const MAX_PRINTED = 4000;
/** The time in milliseconds in which a module must have been imported. */
const LOAD_TIMEOUT = 30_000;

/** Imports a module in a separate process without reserving stdout, and reports output on stdout. */
export async function examineLoad(
  url: string,
  nodeArguments: readonly string[] = [],
  given: Launch["env"] = {},
): Promise<Finding[]> {
  const { cwd, env } = currentShell();
  const script = `await import(${JSON.stringify(url)}); process.exit();`;
  const child = spawn(process.execPath, [...nodeArguments, "--input-type=module", "--eval", script], {
    cwd,
    env: { ...env, ...given },
    stdio: ["ignore", "pipe", "ignore"],
    timeout: LOAD_TIMEOUT,
  });
  let printed = "";
  child.stdout.setEncoding("utf8").on("data", (text: string) => {
    printed = `${printed}${text}`.slice(0, MAX_PRINTED);
  });
  await once(child, "close");
  if (printed === "") return [{ level: "good", message: "The module prints nothing to stdout while it loads." }];
  return [
    {
      level: "warning",
      message: `The module prints to stdout while it loads: ${JSON.stringify(redact(printed).slice(0, 80))}`,
      remedy:
        "Proffer redirects this output to stderr, because stdout is for the protocol. Use console.error or ctx.log.",
    },
  ];
}
