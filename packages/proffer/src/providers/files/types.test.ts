import { describe, expect, it } from "vitest";
import { loadTypes, typeFromTable } from "./types.ts";

describe("the type of a file", () => {
  it.each([
    ["a.md", "text/markdown"],
    ["a/b.PNG", "image/png"],
    ["a.tar.gz", "application/gzip"],
    ["script.ts", "text/typescript"],
    ["x.lua", "text/x-lua"],
  ])("of %s is %s, with and without the package mime", async (path, type) => {
    expect(typeFromTable(path)).toBe(type);
    expect((await loadTypes())(path)).toBe(type);
  });

  it.each(["README", ".env", "a.d/b", "x.constructor", "x.", ""])("of %j is unknown", (path) => {
    expect(typeFromTable(path)).toBeUndefined();
  });

  it("covers more extensions with the package", async () => {
    expect((await loadTypes())("a.epub")).toBe("application/epub+zip");
  });
});
