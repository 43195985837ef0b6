import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";

const script = fileURLToPath(new URL("../../../scripts/runtimes.mjs", import.meta.url));

function run(...args: string[]) {
  return spawnSync(process.execPath, [script, ...args], { encoding: "utf8" });
}

/** The other run-times must be fetched, so they are checked only on demand. */
it("npm run runtimes passes on this Node", () => {
  // The other checks run the compiler, which takes long, and the other tests cover them.
  const { status, stdout, stderr } = run("--only", "this", "--check", "core,stdio,http");
  expect({ status, stderr: status === 0 ? "" : stderr }).toEqual({ status: 0, stderr: "" });
  const [, ...cells] =
    /^\| This Node.*$/m
      .exec(stdout)?.[0]
      .split("|")
      .map((cell) => cell.trim()) ?? [];
  expect(cells.filter((cell) => cell === "ok")).toHaveLength(3);
});

it("npm run runtimes refuses an unknown run-time or check and names the known ones", () => {
  expect(run("--only", "pascal")).toMatchObject({
    status: 1,
    stderr: expect.stringContaining("--only has the unknown name pascal. Known: node20, node22"),
  });
  expect(run("--check", "speed")).toMatchObject({ status: 1, stderr: expect.stringContaining("Known: core, stdio") });
});
