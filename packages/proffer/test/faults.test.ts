import { expect, it } from "vitest";
import { runScript } from "./run-script.ts";

it("20 seeds of crashes, freezes, lost replies and lost wake-ups lose no task and record no step twice", async () => {
  const report = await runScript("faults.mjs", "--memory", "--seeds", "20", "--seed", "1");
  // Each fault came.
  for (const id of ["F1", "F2", "F3", "F7", "F10", "F11"]) {
    expect(report).toMatch(new RegExp(`\\| ${id} in memory: .*\\| +20 \\| +\\d+ \\| +\\d+ \\| +[1-9]\\d* \\|`));
  }
});
