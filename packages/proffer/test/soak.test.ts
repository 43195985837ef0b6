import { spawn } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";

const script = fileURLToPath(new URL("../../../scripts/soak.mjs", import.meta.url));

/** The soak in seconds instead of minutes, so that it stays runnable. It judges counts, not times. */
it("a short soak finds no wrong answers, foreign bytes, orphans or leaks", async () => {
  const child = spawn(process.execPath, [script, "--load", "--minutes", "0.03", "--seed", "1"]);
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
  expect(report).toMatch(/\| foreign bytes +\| +0 \|/);
  // Each attacker has begun.
  expect(report).toMatch(/\| abandoned questions +\| +\d/);
});
