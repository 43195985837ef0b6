import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { readSeeds } from "./seeds.ts";
import { targets } from "./targets.ts";

describe("fuzzing", () => {
  it.each(targets)("$name finds nothing in its random cases", { timeout: 600_000 }, async ({ name, runs, open }) => {
    const seeds = readSeeds(name);
    expect(seeds.length).toBeGreaterThan(0);
    const { property, close } = await open();
    try {
      // The same cases in every run; `npm run fuzz` finds new ones.
      await fc.assert(property, { examples: seeds, numRuns: runs + seeds.length, seed: 1, maxSkipsPerRun: 100 });
    } finally {
      await close?.();
    }
  });
});
