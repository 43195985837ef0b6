import { availableParallelism } from "node:os";
import { fileURLToPath } from "node:url";
import { defineConfig } from "vitest/config";

/** Exhaustive tests and those about the machine: `npm run test:all` runs them after `npm test`. */
const REST = "**/*.all.test.ts";

const TESTS = [
  "packages/*/{src,test}/**/*.test.ts",
  "examples/**/*.test.ts",
  "fuzz/*.test.ts",
  "zoo/*.test.ts",
  "site/*.test.ts",
  "frameworks/*.test.ts",
  "lab/converters/*.test.ts",
];

const src = fileURLToPath(new URL("./packages/proffer/src", import.meta.url));
const cli = fileURLToPath(new URL("./packages/cli/src", import.meta.url));
const inspector = fileURLToPath(new URL("./packages/inspector/src", import.meta.url));

export default defineConfig({
  resolve: {
    alias: [
      { find: /^proffer$/, replacement: `${src}/index.ts` },
      { find: /^proffer\/(.+)$/, replacement: `${src}/$1.ts` },
      { find: /^@proffer\/cli$/, replacement: `${cli}/index.ts` },
      { find: /^@proffer\/cli\/(.+)$/, replacement: `${cli}/$1.ts` },
      { find: /^@proffer\/inspector$/, replacement: `${inspector}/index.ts` },
    ],
  },
  test: {
    projects: [
      { extends: true, test: { name: "quick", include: TESTS, exclude: ["**/node_modules/**", REST] } },
      { extends: true, test: { name: "rest", include: TESTS.map((pattern) => pattern.replace(".test", ".all.test")) } },
    ],
    // Many tests wait for processes and timers. The default, one worker less than cores, leaves two cores mostly idle.
    maxWorkers: availableParallelism() + 1,
    // Loading all modules again for each file would take a fifth of the time. No test leaves state in a module.
    isolate: false,
    // These limits only end a test that hangs: a busy machine must not fail one that is slow.
    testTimeout: 120_000,
    hookTimeout: 120_000,
    // Otherwise each line goes through a channel that vitest closes at the end, and a late line fails the whole run.
    disableConsoleIntercept: true,
    // Node loads the built packages itself, as it does for users, and so only once for all tests of a worker.
    server: { deps: { external: [/\/packages\/[a-z]+\/dist\//] } },
    expect: { poll: { timeout: 100_000 } },
  },
});
