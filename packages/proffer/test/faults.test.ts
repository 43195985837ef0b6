import { spawn } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";

const script = fileURLToPath(new URL("../../../scripts/faults.mjs", import.meta.url));

it("20 seeds of crashes, freezes, lost replies and lost wake-ups lose no task and record no step twice", async () => {
  const child = spawn(process.execPath, [script, "--memory", "--seeds", "20", "--seed", "1"]);
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
  // Each fault came.
  for (const id of ["F1", "F2", "F3", "F7", "F10", "F11"]) {
    expect(report).toMatch(new RegExp(`\\| ${id} in memory: .*\\| +20 \\| +\\d+ \\| +\\d+ \\| +[1-9]\\d* \\|`));
  }
});
