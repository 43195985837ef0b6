import { expect, it } from "vitest";
import { growthPerEdit } from "./edits-growth.ts";

it("proffer dev keeps no compiler program of an earlier edit, and maps stack traces to the source", async () => {
  expect(await growthPerEdit(16)).toBeLessThan(1_000_000);
});
