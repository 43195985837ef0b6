// Runs the randomized and load tests with more iterations: node scripts/nightly.mjs
import "./node-version.mjs";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { ensureBuilt } from "./build.mjs";
import { ensureInstalled, root } from "./npm.mjs";
import { Failure, main } from "./terminal.mjs";

/** Iterations: random disconnects, concurrent clients and their calls, unread responses, random cases. */
const lengths = {
  PROFFER_CUTS: "10000",
  PROFFER_CLIENTS: "1000",
  PROFFER_CALLS: "100000",
  PROFFER_ANSWERS: "10000",
  PROFFER_FUZZ: "100000",
};
const tests = [
  "packages/proffer/test/http/disconnect.test.ts",
  "packages/proffer/test/http/isolation.test.ts",
  "packages/proffer/test/stdio-lifecycle.test.ts",
  "packages/proffer/src/uri",
  "packages/proffer/src/schema/json-schema",
];

await main(async () => {
  ensureInstalled();
  await ensureBuilt();
  const vitest = spawn(process.execPath, [join(root, "node_modules/vitest/vitest.mjs"), "run", ...tests], {
    cwd: root,
    stdio: "inherit",
    env: { ...process.env, ...lengths },
  });
  const [code] = await once(vitest, "exit");
  if (code !== 0) throw new Failure(`the nightly tests ended with exit code ${code}.`);
});
