import { spawn } from "node:child_process";
import { createInterface } from "node:readline";
import type { Launch } from "../install/launch.ts";
import type { Finding } from "./finding.ts";

/** Clients give up after 10 to 60 seconds; on a slower machine than this one everything takes longer. */
const SLOW = 3000;
const PATIENCE = 30_000;
/** What evades the guard of stdout comes from processes that the module starts, right after the start. */
const LISTENED = 500;

const INITIALIZE = {
  jsonrpc: "2.0",
  id: 1,
  method: "initialize",
  params: { protocolVersion: "2025-06-18", capabilities: {}, clientInfo: { name: "proffer-doctor", version: "1" } },
};

/** Starts a server as clients do, and looks at how it behaves. */
export async function examineStart({ command, args, env }: Launch): Promise<Finding[]> {
  const started = performance.now();
  const child = spawn(command, args, { stdio: ["pipe", "pipe", "pipe"], env: { ...process.env, ...env } });
  let errors = "";
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    errors = `${errors}${text}`.slice(-4000);
  });
  child.stdin.on("error", () => {});
  const stray: string[] = [];
  const answered = new Promise<number | undefined>((resolve) => {
    const timer = setTimeout(() => resolve(undefined), PATIENCE);
    const end = (value: number | undefined) => {
      clearTimeout(timer);
      resolve(value);
    };
    createInterface({ input: child.stdout }).on("line", (line) => {
      if (isAnswer(line)) end(performance.now() - started);
      else if (!isMessage(line)) stray.push(line);
    });
    child.once("error", () => end(undefined));
    child.once("close", () => end(undefined));
  });
  child.stdin.write(`${JSON.stringify(INITIALIZE)}\n`);
  const milliseconds = await answered;
  if (milliseconds !== undefined) await new Promise((resolve) => setTimeout(resolve, LISTENED));
  const broke = milliseconds !== undefined && child.exitCode !== null;
  child.stdin.end();
  child.kill();
  if (milliseconds === undefined || broke) return [silent(errors)];
  return [judgeTime(milliseconds), judgeOutput(stray)];
}

function judgeTime(milliseconds: number): Finding {
  const message = `It answers ${Math.round(milliseconds)} ms after its start.`;
  if (milliseconds < SLOW) return { level: "good", message };
  return {
    level: "warning",
    message,
    remedy: "Clients give up after some seconds. Import what is large when it is needed, or run proffer build.",
  };
}

function judgeOutput(stray: readonly string[]): Finding {
  const [first] = stray;
  if (first === undefined) return { level: "good", message: "Only messages arrive on stdout." };
  return {
    level: "error",
    message: `Something else than messages arrives on stdout: ${JSON.stringify(first.slice(0, 80))}`,
    remedy:
      "A process that the module starts writes there. Give it its own stdout: stdio: ['ignore', 'pipe', 'inherit'].",
  };
}

function silent(errors: string): Finding {
  return {
    level: "error",
    message: `It does not start, or stops at once.${errors === "" ? "" : `\n${errors.trimEnd()}`}`,
    remedy: "Mend what is shown above; proffer serve shows it in full.",
  };
}

function isMessage(line: string): boolean {
  try {
    return JSON.parse(line).jsonrpc === "2.0";
  } catch {
    return false;
  }
}

function isAnswer(line: string): boolean {
  return isMessage(line) && JSON.parse(line).id === INITIALIZE.id;
}
