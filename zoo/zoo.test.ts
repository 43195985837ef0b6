import { existsSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { readCaseFile, valuesOf } from "./case-file.ts";
import { classify, isExpected, type Observation, withRemedy } from "./classify.ts";
import { examine } from "./examine.ts";
import { findDrift } from "./oracle.ts";
import { caseFileNames, caseFilePath, pinOf, readPins, remedyFilePath } from "./packages.ts";
import { toWire } from "./wire.ts";

const files = caseFileNames().map((name) => readCaseFile(name, readFileSync(caseFilePath(name), "utf8")));
const cases = files.flatMap((file) => file.cases);
const pins = readPins();

describe("the cases of the types zoo", () => {
  it("are at least 250, from at least 70 packages, and 60 of them call the function itself", () => {
    expect(cases.length).toBeGreaterThanOrEqual(250);
    expect(Object.keys(pins).length).toBeGreaterThanOrEqual(70);
    expect(cases.filter(({ gives }) => gives.length > 0).length).toBeGreaterThanOrEqual(60);
  });

  it("have a remedy for each refusal", () => {
    for (const { name, cases } of files) {
      const refused = cases.filter((each) => each.refused.length > 0).map((each) => each.name);
      const remedied = existsSync(remedyFilePath(name))
        ? readCaseFile(name, readFileSync(remedyFilePath(name), "utf8")).cases
        : [];
      expect(remedied.map((each) => each.name).sort(), name).toEqual(refused.sort());
    }
  });

  it("have a value or a code each", () => {
    for (const { name, accepts, returns, gives, fails, refused } of cases) {
      expect(accepts.length + returns.length + gives.length + fails.length + refused.length, name).toBeGreaterThan(0);
    }
    for (const code of cases.flatMap(({ refused, warns }) => [...refused, ...warns])) expect(code).toMatch(/^PF\d{4}$/);
  });

  it("import only packages that are pinned to an exact version", () => {
    for (const version of Object.values(pins)) expect(version).toMatch(/^(?:npm:typescript@)?\d+\.\d+\.\d+$/);
    const lock = JSON.parse(readFileSync(new URL("./package-lock.json", import.meta.url), "utf8"));
    expect(lock.packages[""].dependencies).toEqual(pins);
    for (const { packages, name } of files) {
      for (const each of packages.filter((name) => name !== "proffer"))
        expect(pinOf(each, pins), `${name}: ${each}`).toBeDefined();
    }
  });
});

describe("reading a case file", () => {
  const head = 'import type { A } from "a";\nimport { accepts } from "../expect.ts";\n';

  it("removes the statements about cases and keeps the lines", () => {
    const file = readCaseFile("a", `${head}/** Runs. */\nexport const run = (a: A): A => a;\naccepts(run, [1]);\n`);
    expect(file.module.split("\n").map((line) => line.trim())).toEqual([
      'import type { A } from "a";',
      "",
      "/** Runs. */",
      "export const run = (a: A): A => a;",
      "",
      "",
    ]);
    expect(file.packages).toEqual(["a"]);
    expect(file.cases).toMatchObject([{ name: "run", accepts: ["[1]"], lines: [3, 4] }]);
    expect(valuesOf(file)).toHaveLength(1);
  });

  it("removes the other functions if only one is wanted", () => {
    const text = `${head}export const a = (): void => {};\naccepts(a, []);\nexport const b = (): void => {};\naccepts(b, []);\n`;
    const file = readCaseFile("a", text, ["b"]);
    expect(file.module).not.toContain("const a");
    expect(file.cases.map(({ name }) => name)).toEqual(["b"]);
  });

  it.each([
    ["export const run = () => 1;", "expects nothing"],
    ["accepts(run, [1]);", "does not export"],
    ["export const run = () => 1;\nexpects(run, [1]);", "not a statement"],
    ["export const run = () => 1;\naccepts(run);", "needs a function and a value"],
  ])("rejects %j", (text, problem) => {
    expect(() => readCaseFile("a", head + text)).toThrow(problem);
  });
});

it("reports an expectation with which TypeScript disagrees", () => {
  const file = readCaseFile(
    "a",
    "export const run = (n: number) => n;\naccepts(run, [1], [true]);\nrefuses(run, [2], []);",
  );
  const reasons = new Map([
    [1, "Type 'boolean' is not assignable to type 'number'."],
    [3, "Expected 1 argument."],
  ]);
  expect(findDrift(valuesOf(file), { reasons, errors: [] })).toEqual([
    "run: accepts [true]: TypeScript says: Type 'boolean' is not assignable to type 'number'.",
    "run: refuses [2]: TypeScript says: assignable",
  ]);
});

describe("classification", () => {
  const [expected] = readCaseFile("a", 'export const run = () => 1;\naccepts(run, []);\nsays(run, "x");').cases;
  const [refusal] = readCaseFile("a", 'export const run = () => 1;\nrefused(run, "PF1102");').cases;
  if (expected === undefined || refusal === undefined) throw new Error("no cases");
  const error = { code: "PF1102", severity: "error", message: "It is a function. Remove it.", inModule: true };
  const served: Observation = { diagnostics: [], tool: "x", faults: [], isReal: false };

  it.each([
    ["right", expected, served, true],
    ["wrong or silent", expected, { ...served, faults: ["accepts []: refused"] }, false],
    ["wrong or silent", expected, { ...served, tool: "y" }, false],
    ["wrong or silent", expected, { ...served, diagnostics: [{ ...error, severity: "warning" }] }, false],
    ["wrong or silent", refusal, served, false],
    ["refused badly", expected, { diagnostics: [error], faults: [], isReal: false }, false],
    ["refused badly", expected, { diagnostics: [], faults: [], isReal: false }, false],
    ["refused badly", expected, { ...served, unserved: "too large" }, false],
    [
      "refused badly",
      refusal,
      { diagnostics: [{ ...error, message: "It is a function." }], faults: [], isReal: false },
      false,
    ],
    ["refused badly", refusal, { diagnostics: Array(21).fill(error), faults: [], isReal: false }, false],
    ["refused well", refusal, { diagnostics: [error], faults: [], isReal: false }, true],
  ] as const)("%s", (status, of, observed, isGood) => {
    const verdict = classify(of, observed);
    expect(verdict.status).toBe(status);
    expect(isExpected(of, verdict)).toBe(isGood);
  });

  it("a refusal is well only with a remedy that works", () => {
    const refused = classify(refusal, { diagnostics: [error], faults: [], isReal: false });
    const right = classify(expected, served);
    expect(withRemedy(refused, right)).toBe(refused);
    expect(withRemedy(right, undefined)).toBe(right);
    expect(withRemedy(refused, undefined).status).toBe("refused badly");
    const wrong = withRemedy(refused, classify(expected, { ...served, faults: ["it fails"] }));
    expect(wrong).toMatchObject({ status: "refused badly", reasons: ["its remedy: it fails"] });
  });

  it("compares results with the JSON of their classes", () => {
    const value = {
      at: new Date(0),
      all: new Set([1n]),
      by: new Map([[1, new URL("a:b")]]),
      gone: undefined,
      x: [undefined],
    };
    expect(toWire(value)).toEqual({ at: "1970-01-01T00:00:00.000Z", all: ["1"], by: [[1, "a:b"]], x: [null] });
  });
});

describe("an examination", () => {
  const text = `
/** Moves. */
export function move(at: Date, by: { days: number }): Date { return new Date(+at + by.days); }
accepts(move, [new Date(0), { days: 1 }]);
refuses(move, [new Date(0), { days: "1" }], [new Date(0)]);
returns(move, new Date(0));
/** Moves without a package. */
export function moveAlone(at: Date): Date { return at; }
gives(moveAlone, [new Date(0)], "1970-01-01T00:00:00.000Z");
gives(moveAlone, [new Date(0)], "1970");
/** Fails. */
export function fail(): { n: string } { return { n: 5 } as never; }
fails(fail, [], "n");
/** Watches. */
export function watch(done: () => void): void { done(); }
refused(watch, "PF1102");
`;

  it("calls a right function with its values, and finds the reason of a refused one", async () => {
    const folder = realpathSync(mkdtempSync(join(tmpdir(), "proffer-zoo-")));
    const settings = { strict: true, lib: ["es2023"], module: "esnext", moduleResolution: "bundler", types: [] };
    const compilerOptions = { ...settings, allowImportingTsExtensions: true, noEmit: true, skipLibCheck: true };
    writeFileSync(join(folder, "tsconfig.json"), JSON.stringify({ compilerOptions, files: ["module.ts"] }));
    writeFileSync(join(folder, "package.json"), '{ "name": "app", "version": "1.0.0", "type": "module" }');
    const { verdicts, bytes } = await examine(readCaseFile("sample", text), folder, 0);
    rmSync(folder, { recursive: true, force: true });
    const notReal = expect.stringContaining("no code of a package ran");
    expect(verdicts).toEqual({
      move: { status: "right", reasons: [], isReal: false },
      moveAlone: {
        status: "wrong or silent",
        reasons: [notReal, expect.stringContaining("receives"), notReal],
        isReal: false,
      },
      fail: { status: "right", reasons: [], isReal: false },
      watch: { status: "refused well", reasons: [], isReal: false },
    });
    expect(bytes).toBeGreaterThan(0);
  });
});
