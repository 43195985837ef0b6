import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";

const script = fileURLToPath(new URL("../scripts/start.mjs", import.meta.url));

it("npm start rejects an invalid port", () => {
  const { status, stderr } = spawnSync(process.execPath, [script], {
    encoding: "utf8",
    env: { ...process.env, PORT: "many" },
  });
  expect(status).toBe(1);
  expect(stderr).toContain('PORT is "many"');
});
