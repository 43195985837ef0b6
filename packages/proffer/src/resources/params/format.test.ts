import { describe, expect, it } from "vitest";
import { date, oneOf, uuid } from "./format.ts";

describe("formats", () => {
  it("accept UUIDs, dates and choices", () => {
    expect(uuid().check("3F4B1a2c-0001-0000-0000-000000000000")).toBe("3F4B1a2c-0001-0000-0000-000000000000");
    expect(uuid().check("3f4b1a2c")).toMatchObject({ kind: "uuid" });
    expect(date().check("2024-02-29")).toBe("2024-02-29");
    expect(date().check("2023-02-29")).toMatchObject({ kind: "date" });
    expect(oneOf("a", "b").check("b")).toBe("b");
    expect(oneOf("a", "b").check("__proto__")).toMatchObject({ kind: "enum" });
  });
});
