import { createHash } from "node:crypto";
import { expect, it } from "vitest";
import { sha1 } from "./sha1.ts";

it("sha1() returns the same digest as Node", () => {
  for (const given of ["", "abc", "é".repeat(40), "x".repeat(55), "x".repeat(56), "x".repeat(64), "x".repeat(1000)]) {
    expect(sha1(given)).toBe(createHash("sha1").update(given).digest("hex"));
  }
});
