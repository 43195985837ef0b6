import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";

const script = fileURLToPath(new URL("../../../scripts/runtimes.mjs", import.meta.url));

it("npm run runtimes refuses an unknown run-time and names the known ones", () => {
  expect(spawnSync(process.execPath, [script, "--only", "pascal"], { encoding: "utf8" })).toMatchObject({
    status: 1,
    stderr: expect.stringContaining("--only has the unknown name pascal. Known: node20, node22"),
  });
});
