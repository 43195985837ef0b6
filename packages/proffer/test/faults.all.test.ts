import { expect, it } from "vitest";
import { findEngine } from "./ports/start-engine.ts";
import { runScript } from "./run-script.ts";

const isNative = findEngine({ PATH: process.env.PATH })?.kind === "native";

it("20 seeds of crashes, freezes, lost replies and lost wake-ups lose no task and record no step twice", {
  timeout: 600_000,
}, async () => {
  const report = await runScript("faults.mjs", "--memory", "--seeds", "20", "--seed", "1");
  // Each fault came.
  for (const id of ["F1", "F2", "F3", "F7", "F10", "F11"]) {
    expect(report).toMatch(new RegExp(`\\| ${id} in memory: .*\\| +20 \\| +\\d+ \\| +\\d+ \\| +[1-9]\\d* \\|`));
  }
});

it.skipIf(!isNative)(
  "a session over four processes gets every event once, although one is killed",
  { timeout: 600_000 },
  async () => {
    const report = await runScript("faults.mjs", "--processes", "--only", "F14", "--tasks", "2", "--seed", "1");
    // Two sessions, six events each, two kills, and nothing lost.
    expect(report).toMatch(/\| F14 on Redis: .*\| +1 \| +2 \| +12 \| +2 \| +0 \|/);
  },
);
