import { expect, it } from "vitest";
import { growthPerEdit } from "./edits-growth.ts";

// The caches of the compiler are still filling, with about 100 kB for each edit. A leaked program adds 500 kB.
it("proffer dev keeps no compiler program of an earlier edit, and maps stack traces to the source", async () => {
  expect(await growthPerEdit(16)).toBeLessThan(400_000);
});
