import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { extractMeta } from "./lua-meta.ts";

describe("the metadata of a package", () => {
  it.each([
    ["flat", 'M.meta = { name = "a", description = "b" }', "b"],
    ["behind a nested table", 'M.meta = { name = "a", tags = { "x", description = "no" }, description = "b" }', "b"],
    ["put together", 'M.meta = { name = "a", description = "foo " .. "bar "\n  .. "baz" }', "foo bar baz"],
    ["not the short one", 'M.meta = { name = "a", short_description = "no", description = "b" }', "b"],
    ["only a short one", 'M.meta = { name = "a", short_description = "no" }', null],
    ["behind a long comment", `--${"x".repeat(5000)}\nM.meta = { name = "a", description = "b" }`, "b"],
    ["with a brace in a text", 'M.meta = { name = "a", x = "}", description = "b" }', "b"],
    ["in long brackets", 'M.meta = { name = "a", description = [==[b]]]==] }', "b]]"],
    ["with escapes", String.raw`M.meta = { name = 'a', description = "say \"b\"\n" }`, 'say "b"\n'],
    ["computed", 'M.meta = { name = "a", description = "b" .. version }', null],
    ["a call", 'M.meta = { name = "a", description = ("b"):upper() }', null],
    ["empty", 'M.meta = { name = "a", description = "" }', null],
    ["separated by semicolons", 'M.meta = { name = "a"; description = "b"; }', "b"],
    ["without its end", 'M.meta = { name = "a", description = "b", ', "b"],
  ])("is found: %s", (_, source, description) => {
    expect(extractMeta(source)).toMatchObject({ name: "a", description });
  });

  it.each([
    ["nothing", ""],
    ["no table", 'local meta = { name = "a" }'],
    ["no name", 'M.meta = { description = "b" }'],
    ["an empty name", 'M.meta = { name = "" }'],
    ["a name that is computed", "M.meta = { name = NAME }"],
    ["only a comment", '-- example: M.meta = { name = "decoy" }'],
    ["only a long comment", '--[[ M.meta = { name = "decoy" } ]]'],
    ["only a text", `local s = "M.meta = { name = 'decoy' }"`],
    ["a comparison", 'if M.meta == { name = "a" } then'],
  ])("is not found in %s", (_, source) => {
    expect(extractMeta(source)).toBeUndefined();
  });

  it("is found after other mentions of M.meta", () => {
    const source = '-- M.meta = { name = "decoy" }\nprint(M.meta)\nM.M.meta = { name = "a" }';
    expect(extractMeta(source)?.name).toBe("a");
  });

  it("includes the comment at the top as docstring", () => {
    const source = '--- One.\n\n---   Two.\n-- three\n--- four\nM.meta = { name = "a" }';
    expect(extractMeta(source)?.docstring).toBe("One.\nTwo.");
    expect(extractMeta('M.meta = { name = "a" }')?.docstring).toBeNull();
  });

  it("has any quotable name, with any code around it", () => {
    const noise = fc.stringMatching(/^[a-z0-9 \n,=]*$/);
    const name = fc.stringMatching(/^[^"\\\n]+$/);
    fc.assert(
      fc.property(noise, name, noise, (before, value, after) => {
        expect(extractMeta(`${before}\nM.meta = { name = "${value}" }${after}`)?.name).toBe(value);
      }),
    );
  });

  it("never has an empty name, for any source", () => {
    const piece = fc.constantFrom("M", ".", "meta", "=", "{", "}", '"', "'", "[[", "]]", "--", "\\", "\n", "name", ",");
    fc.assert(
      fc.property(fc.array(piece), (pieces) => {
        const meta = extractMeta(pieces.join(""));
        expect(meta === undefined || meta.name.length > 0).toBe(true);
      }),
    );
  });
});
