import { expect, it } from "vitest";
import { runScript } from "./run-script.ts";

it("a seed of crashes, freezes, lost replies and lost wake-ups loses no task and records no step twice", async () => {
  const report = await runScript("faults.mjs", "--memory", "--seeds", "1", "--seed", "1", "--tasks", "20");
  expect(report).toMatch(/\| F1 in memory: .*\| +1 \| +\d+ \| +\d+ \| +[1-9]\d* \|/);
});
