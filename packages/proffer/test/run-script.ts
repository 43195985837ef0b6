import { spawn } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { expect, onTestFinished } from "vitest";

/** Runs a script of `scripts/`, which must succeed. Returns its stdout. */
export async function runScript(name: string, ...args: string[]): Promise<string> {
  const script = fileURLToPath(new URL(`../../../scripts/${name}`, import.meta.url));
  const child = spawn(process.execPath, [script, ...args]);
  // A script that hangs would outlive its test.
  onTestFinished(() => void child.kill("SIGKILL"));
  let report = "";
  let printed = "";
  child.stdout.setEncoding("utf8").on("data", (text: string) => {
    report += text;
  });
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    printed += text;
  });
  const [code] = await once(child, "close");
  expect({ code, printed: code === 0 ? "" : printed }).toEqual({ code: 0, printed: "" });
  return report;
}
