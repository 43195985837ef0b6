import { availableParallelism } from "node:os";
import { fileURLToPath } from "node:url";
import { defineConfig } from "vitest/config";

const src = fileURLToPath(new URL("./packages/proffer/src", import.meta.url));

export default defineConfig({
  resolve: {
    alias: [
      { find: /^proffer$/, replacement: `${src}/index.ts` },
      { find: /^proffer\/(.+)$/, replacement: `${src}/$1.ts` },
    ],
  },
  test: {
    include: ["packages/*/{src,test}/**/*.test.ts", "examples/**/*.test.ts"],
    // Many tests wait for processes and timers: vitest's own choice, one worker less than cores, leaves most of two idle.
    maxWorkers: availableParallelism() + 1,
    // To load everything anew for each file takes a fifth of the time; no test leaves anything behind in a module.
    isolate: false,
    testTimeout: 60_000,
    hookTimeout: 60_000,
  },
});
