import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { readSeeds } from "./seeds.ts";
import { targets } from "./targets.ts";

/** The share of a target's random cases that `npm test` runs; fuzz.all.test.ts runs all of them. */
const SHARE = 0.05;

describe("fuzzing", () => {
  it.each(targets)("$name finds nothing in its kept cases and a few random ones", async ({ name, runs, open }) => {
    const seeds = readSeeds(name);
    expect(seeds.length).toBeGreaterThan(0);
    const { property, close } = await open();
    try {
      const numRuns = seeds.length + Math.ceil(SHARE * runs);
      await fc.assert(property, { examples: seeds, numRuns, seed: 1, maxSkipsPerRun: 100 });
    } finally {
      await close?.();
    }
  });
});
