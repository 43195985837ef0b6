import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { afterAll, describe, expect, test } from "vitest";
import { createDeriver } from "../../src/derive/deriver.ts";
import { DIAGNOSTICS, type Diagnostic } from "../../src/derive/model/diagnostics.ts";
import { createWorkspace } from "./workspace.ts";

interface Row {
  code: string;
  summary: string;
  mistake: string;
  remedy: string;
}

const page = readFileSync(fileURLToPath(new URL("../../../../docs/diagnostics.md", import.meta.url)), "utf8");
const rows = page.split("\n").flatMap((line): Row[] => {
  const match = /^\| (PF\d{4}) \| (.*?) \| `(.*)` \| `(.*)` \|$/.exec(line);
  if (!match) return [];
  const [code = "", summary = "", mistake = "", remedy = ""] = match
    .slice(1)
    .map((cell) => cell.replaceAll("\\|", "|"));
  return [{ code, summary, mistake, remedy }];
});

const workspace = createWorkspace();
const derivers = new Map(
  ["input.ts", "input.js"].map((entry) => [entry, createDeriver(workspace.path(entry))] as const),
);

afterAll(() => workspace.remove());

function diagnosticsOf(source: string): readonly Diagnostic[] {
  const entry = source.includes("@typedef") ? "input.js" : "input.ts";
  // Splits the one-line examples of the page: tags, comments and exports start on a new line.
  workspace.write({ [entry]: `${source.replaceAll(/ (?=@property|@typedef|\/\*\*|export )/g, "\n")}\n` });
  return derivers.get(entry)?.derive().diagnostics ?? [];
}

test("the page lists every code once, with its summary", () => {
  const listed = rows.map(({ code, summary }) => [code, summary.replace(/ \(JavaScript\)$/, "")]);
  expect(listed).toEqual(Object.entries(DIAGNOSTICS).map(([code, { summary }]) => [code, summary]));
});

test("PF1xxx codes are errors, PF2xxx codes are warnings and PF3xxx codes are notes", () => {
  const severities: Record<string, string> = { PF1: "error", PF2: "warning", PF3: "note" };
  for (const [code, { severity }] of Object.entries(DIAGNOSTICS)) expect(severity).toBe(severities[code.slice(0, 3)]);
});

/** The example of PF1001 is a command, not code. */
describe.each(rows.filter(({ code }) => code !== "PF1001"))("$code", ({ code, mistake, remedy }) => {
  test("is reported for the mistake", () => {
    expect(diagnosticsOf(mistake).map((diagnostic) => diagnostic.code)).toContain(code);
  });

  test("is not reported for the remedy, which has no other error", () => {
    const reported = diagnosticsOf(remedy).filter(({ code: own, severity }) => own === code || severity === "error");
    expect(reported).toEqual([]);
  });
});
