import { expect, it } from "vitest";
import { runScript } from "./run-script.ts";

/** Without F1, whose thousands of crashes take ten times as long as the others: `faults.all.test.ts` has it. */
const FAULTS = ["F2", "F3", "F7", "F10", "F11"];

it("a seed of crashes, freezes, lost replies and lost wake-ups loses no task and records no step twice", async () => {
  const report = await runScript("faults.mjs", "--memory", "--seeds", "1", "--seed", "1", "--only", FAULTS.join());
  for (const id of FAULTS) {
    expect(report).toMatch(new RegExp(`\\| ${id} in memory: .*\\| +1 \\| +\\d+ \\| +\\d+ \\| +[1-9]\\d* \\|`));
  }
});
