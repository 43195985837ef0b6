import { expect, it } from "vitest";
import { runScript } from "./run-script.ts";

/** The soak in seconds instead of minutes, so that it stays runnable. It judges counts, not times. */
it("a short soak finds no wrong answers, foreign bytes, orphans or leaks", async () => {
  const report = await runScript("soak.mjs", "--load", "--minutes", "0.03", "--seed", "1");
  expect(report).toMatch(/\| foreign bytes +\| +0 \|/);
  // Each attacker has begun.
  expect(report).toMatch(/\| abandoned questions +\| +\d/);
});
