import { expect, it } from "vitest";
import { runScript } from "./run-script.ts";

/** Half a minute of `npm run soak`. It judges counts, not times. */
it("half a minute of soak finds no wrong answers, foreign bytes, orphans or leaks", { timeout: 600_000 }, async () => {
  const report = await runScript("soak.mjs", "--load", "--minutes", "0.5", "--seed", "1");
  expect(report).toMatch(/\| foreign bytes +\| +0 \|/);
  // Each attacker has begun.
  expect(report).toMatch(/\| abandoned questions +\| +\d/);
});
