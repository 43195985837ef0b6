import { mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { createDeriver } from "../derive/index.ts";
import { findModule } from "./module-file.ts";

const TYPED = ["/** Says. */", "export const say = (name: string): string => name;"];
const PLAIN = ["/** Says. @param {string} name @returns {string} */", "export const say = (name) => name;"];

const folder = realpathSync(mkdtempSync(join(tmpdir(), "proffer-entries-")));

afterAll(() => rmSync(folder, { recursive: true }));

describe("findModule", () => {
  it.each([
    ["a.ts", TYPED],
    ["b.tsx", [...TYPED, "export const page = <p>text</p>;"]],
    ["c.mts", TYPED],
    ["d.cts", TYPED],
    ["e.js", PLAIN],
    ["f.jsx", PLAIN],
    ["g.mjs", PLAIN],
    ["h.cjs", PLAIN],
  ])("accepts %s, which has a tool", (name, lines) => {
    const file = join(folder, name);
    writeFileSync(file, lines.join("\n"));
    expect(findModule(file)).toBe(file);
    expect(
      createDeriver(file)
        .derive()
        .tools.map((tool) => tool.name),
    ).toEqual(["say"]);
  });

  it.each(["types.d.ts", "types.d.cts", "server.py"])("rejects %s", (name) => {
    writeFileSync(join(folder, name), "");
    expect(() => findModule(join(folder, name))).toThrow("Name a TypeScript or JavaScript file");
  });
});
