import { spawn } from "node:child_process";
import { once } from "node:events";
import { currentShell } from "../terminal/shell.ts";
import type { Finding } from "./finding.ts";

/** In milliseconds. */
const TIMEOUT = 30_000;

/** Imports a module in a separate process without the guard on stdout, and reports output on stdout. */
export async function examineLoad(url: string): Promise<Finding[]> {
  const { cwd, env } = currentShell();
  const script = `await import(${JSON.stringify(url)}); process.exit();`;
  const child = spawn(process.execPath, ["--input-type=module", "--eval", script], {
    cwd,
    env,
    stdio: ["ignore", "pipe", "ignore"],
    timeout: TIMEOUT,
  });
  let printed = "";
  child.stdout.setEncoding("utf8").on("data", (text: string) => {
    printed = `${printed}${text}`.slice(0, 80);
  });
  await once(child, "close");
  if (printed === "") return [{ level: "good", message: "The module prints nothing to stdout while it loads." }];
  return [
    {
      level: "warning",
      message: `The module prints to stdout while it loads: ${JSON.stringify(printed)}`,
      remedy:
        "Proffer redirects this output to stderr, because stdout is for the protocol. Use console.error or ctx.log.",
    },
  ];
}
