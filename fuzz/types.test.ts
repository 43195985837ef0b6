import type { JsonSchema } from "proffer";
import type { Manifest, ManifestTool } from "proffer/derived";
import { afterAll, describe, expect, test } from "vitest";
import { createDeriver } from "../packages/cli/src/derive/deriver.ts";
import { createWorkspace } from "../packages/cli/test/derive/workspace.ts";
import { createAjv } from "./ajv.ts";
import { createOracle } from "./types/assignability.ts";
import { compare, isExcess } from "./types/compare.ts";
import { moduleOf } from "./types/derived-type.ts";
import type { TypeCase, TypeTree } from "./types/type-tree.ts";

const workspace = createWorkspace();
const oracle = createOracle();
afterAll(() => workspace.remove());

const member = (name: string, of: TypeTree) => ({ name, optional: false, orUndefined: false, of });
const cases: TypeCase[] = [
  { kind: "object" as const, members: [member("a", { kind: "string" }), member("b", { kind: "number" })] },
  { kind: "template" as const, before: "a-", hole: "number" as const, after: "" },
  { kind: "object" as const, members: [member("a", { kind: "date" })] },
].map((type) => ({ declarations: [], type, seed: 1 }));

describe("the oracle of the types", () => {
  const manifest = deriveCases();

  test("finds no difference in a right derivation, on values that are accepted and rejected", () => {
    const { findings, accepted, rejected, refused } = compareWith(manifest);
    expect(findings).toEqual([]);
    expect(refused).toBe(0);
    expect(accepted).toBeGreaterThan(15);
    expect(rejected).toBeGreaterThan(15);
  });

  test("finds an input that is too loose, and shows the type, the value and both verdicts", () => {
    const { findings } = compareWith(withTool("in0", { inputSchema: withValue({ type: "object" }) }));
    expect(findings.at(-1)).toMatch(
      /type T0 = \{ "a": string; "b": number \};\nvalue: .*\nderivation: is accepted as .*\nTypeScript: not assignable\nschema: /,
    );
  });

  test("finds an input that is too narrow", () => {
    const { findings } = compareWith(withTool("in1", { inputSchema: withValue({ type: "string", pattern: "^a-1$" }) }));
    expect(findings[0]).toMatch(/derivation: is refused by the input schema\nTypeScript: assignable/);
  });

  test("finds an output that is too loose and one that is too narrow", () => {
    const loose = compareWith(withTool("out1", { outputSchema: { type: "string" } }));
    expect(loose.findings[0]).toMatch(/derivation: is accepted by the output schema\nTypeScript: not assignable/);
    const narrow = compareWith(withTool("out1", { outputSchema: { type: "string", pattern: "^a-1$" } }));
    expect(narrow.findings[0]).toMatch(/derivation: is refused by the output schema/);
  });

  test("finds a value of the wrong class", () => {
    const tool = manifest.tools.find(({ name }) => name === "in2");
    const { decode: _, ...binding } = tool?.binding ?? { path: [], parameters: [], result: { kind: "value" as const } };
    const { findings } = compareWith(withTool("in2", { binding }));
    expect(findings.some((each) => each.includes("derivation: is decoded as"))).toBe(true);
    expect(findings.some((each) => each.includes("derivation: is accepted as"))).toBe(true);
  });

  test("allows a refusal only for properties that the type does not have", () => {
    const isClosed = (value: unknown) => JSON.stringify(value) === '{"a":[{"b":1}]}';
    expect(isExcess({ a: [{ b: 1, c: 2 }], d: 3 }, isClosed)).toBe(true);
    expect(isExcess({ a: [{ b: 2 }] }, isClosed)).toBe(false);
  });

  function compareWith(given: Pick<Manifest, "tools">) {
    return compare(cases, given, oracle, createAjv());
  }

  function withTool(name: string, change: Partial<ManifestTool>): Pick<Manifest, "tools"> {
    return { tools: manifest.tools.map((tool) => (tool.name === name ? { ...tool, ...change } : tool)) };
  }
});

function deriveCases(): Manifest {
  workspace.write({ "input.ts": moduleOf(cases) });
  const derivation = createDeriver(workspace.path("input.ts")).derive();
  expect(derivation.diagnostics).toEqual([]);
  return derivation;
}

function withValue(value: JsonSchema): ManifestTool["inputSchema"] {
  return { type: "object", properties: { value }, required: ["value"], additionalProperties: false };
}
