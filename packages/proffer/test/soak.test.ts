import { expect, it } from "vitest";
import { runScript } from "./run-script.ts";

/** One kind of attack, so that the script stays runnable: `soak.all.test.ts` runs all of them. */
it("a short soak with one attacker finds no wrong answers or foreign bytes", async () => {
  const report = await runScript("soak.mjs", "--load", "--minutes", "0.01", "--seed", "1", "--only", "abandoned");
  expect(report).toMatch(/\| foreign bytes +\| +0 \|/);
  expect(report).toMatch(/\| abandoned questions +\| +\d/);
});
