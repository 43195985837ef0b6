import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { ERRORS } from "../src/protocol/errors.ts";
import { REVISIONS } from "../src/protocol/revisions/table.ts";
import { USAGE_CODES } from "../src/support/usage-error.ts";
import { EVERY } from "./versions.ts";

const text = readFileSync(new URL("../../../docs/errors.md", import.meta.url), "utf8");

/** The rows of the table below a heading, as lists of cells. */
function table(heading: string): string[][] {
  const [, section = ""] = text.split(`## ${heading}\n`);
  const [body = ""] = section.split("\n## ");
  const rows = body.split("\n").filter((line) => line.startsWith("| `"));
  return rows.map((row) => row.split(" | ").map((cell) => cell.replace(/^\| | \|$/g, "").trim()));
}

describe("docs/errors.md", () => {
  it("lists exactly the protocol errors, with their codes", () => {
    const written = table("On the wire").map(([name = "", code = ""]) => [
      name.replaceAll("`", ""),
      Number.parseInt(code, 10),
    ]);
    expect(Object.fromEntries(written)).toEqual(ERRORS);
    expect(written).toHaveLength(Object.keys(ERRORS).length);
  });

  it("lists the codes that differ between revisions", () => {
    const cells = new Map(table("On the wire").map(([name = "", code = ""]) => [name.replaceAll("`", ""), code]));
    for (const version of EVERY) {
      for (const [name, code] of Object.entries(REVISIONS.get(version)?.codes ?? {})) {
        expect(cells.get(name)).toMatch(new RegExp(`up to 2025-11-25: ${code}$`));
        expect(version <= "2025-11-25").toBe(true);
      }
    }
  });

  it("lists exactly the usage codes", () => {
    const written = table("Usage errors").map(([code = ""]) => code.replaceAll("`", ""));
    expect(written).toEqual([...USAGE_CODES]);
  });

  it("explains the cause and the fix of each error", () => {
    for (const row of [...table("On the wire"), ...table("Usage errors")]) {
      const [when = "", remedy = ""] = row.slice(-2);
      expect(when.length).toBeGreaterThan(20);
      expect(remedy.length).toBeGreaterThan(10);
    }
  });
});
