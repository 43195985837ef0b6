import { expect, it } from "vitest";
import { growthPerEdit } from "./edits-growth.ts";

// If Node imported the five files, each edit would leak 50 kB, and a leaked compiler program tens of megabytes. The
// growth that remains, at most 14 kB per edit, comes from caches of the compiler and of V8 that are still filling.
it("proffer dev stays flat in memory over 200 edits", { timeout: 600_000 }, async () => {
  expect(await growthPerEdit(200)).toBeLessThan(30_000);
});
