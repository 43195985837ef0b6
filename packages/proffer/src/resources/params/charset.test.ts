import { describe, expect, it } from "vitest";
import { charset } from "./charset.ts";

describe("charset", () => {
  it("reports the first character that is not in the set", () => {
    const id = charset("A-Za-z0-9_.-");
    expect(id.check("a-Z_0.")).toBe("a-Z_0.");
    expect(id.check("ab/c&")).toMatchObject({ kind: "character", char: "/" });
    expect(id.check("a😀b")).toMatchObject({ kind: "character", char: "😀" });
    expect(id.check("")).toMatchObject({ kind: "length" });
    expect(id.check("a".repeat(513))).toMatchObject({ kind: "length", limit: 512 });
  });

  it("supports ranges beyond ASCII", () => {
    const greek = charset("α-ω😀-😂");
    expect(greek.check("αβω😁")).toBe("αβω😁");
    expect(greek.check("αa")).toMatchObject({ char: "a" });
    expect(greek.check("\ud83d")).toMatchObject({ char: "\ud83d" });
  });

  it.each(["", "z-a"])("cannot be %j", (set) => {
    expect(() => charset(set)).toThrow(expect.objectContaining({ code: "bad_option" }));
  });
});
