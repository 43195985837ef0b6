import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";

const script = fileURLToPath(new URL("../../../scripts/cluster.mjs", import.meta.url));

it.each(["--kill", "--seconds"])("npm run cluster refuses a %s that is not a positive number", (flag) => {
  expect(spawnSync(process.execPath, [script, flag, "soon"], { encoding: "utf8" })).toMatchObject({
    status: 1,
    stderr: expect.stringContaining(`${flag} is "soon": set it to a positive number of seconds.`),
  });
});
