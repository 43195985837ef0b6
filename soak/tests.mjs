import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { root } from "../scripts/npm.mjs";

/** More rounds for tests of the suite: their files explain each variable. */
const ROUNDS = {
  PROFFER_CUTS: "10000",
  PROFFER_CLIENTS: "1000",
  PROFFER_CALLS: "100000",
  PROFFER_ANSWERS: "10000",
  PROFFER_SESSIONS: "100000",
  PROFFER_HANDLERS: "5000",
  PROFFER_FUZZ: "100000",
};
const FILES = [
  "packages/proffer/test/http/disconnect.test.ts",
  "packages/proffer/test/http/isolation.test.ts",
  "packages/proffer/test/heap.all.test.ts",
  "packages/proffer/test/stdio-lifecycle.test.ts",
  "packages/proffer/test/questions/random-handlers.test.ts",
  "packages/proffer/src/uri",
  "packages/proffer/src/schema/json-schema",
];

/** So many rounds take longer than a test may otherwise. */
const ARGS = ["run", "--testTimeout=3600000", ...FILES];

/** Runs the randomized tests with more rounds; returns the exit code of vitest. */
export async function runTests() {
  const vitest = spawn(process.execPath, [join(root, "node_modules/vitest/vitest.mjs"), ...ARGS], {
    cwd: root,
    stdio: "inherit",
    env: { ...process.env, ...ROUNDS },
  });
  const [code] = await once(vitest, "exit");
  return code;
}
