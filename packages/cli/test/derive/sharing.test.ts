import { compileJsonSchema, decode, encode } from "proffer/derived";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createDeriver } from "../../src/derive/deriver.ts";
import type { Derivation } from "../../src/derive/model/description.ts";
import { createWorkspace, type Workspace } from "./workspace.ts";

/** Types of generated modules: deep, wide, or without end. One derivation for all, because the compiler starts slowly. */
const LEVELS = 25;
const TUPLES = 40;
const RING = 2000;
const CHAIN = 1500;

function numbered(count: number, line: (index: number) => string): string {
  return Array.from({ length: count }, (_, index) => line(index)).join("\n");
}

const TEXT = `
type P0 = { a: string };
${numbered(LEVELS, (i) => `type P${i + 1} = { l: Partial<P${i}>; r: Partial<P${i}> };`)}
/** Takes partial types. */ export function partial(value: P${LEVELS}): void { void value; }

type T0 = [Date, string];
${numbered(TUPLES, (i) => `type T${i + 1} = [T${i}, T${i}?];`)}
/** Takes tuples. */ export function tuples(value: T${TUPLES}): T${TUPLES} { return value; }

${numbered(RING, (i) => `interface R${i} { at: Date; next?: R${(i + 1) % RING}; }`)}
/** Takes a ring. */ export function ring(value: R0): void { void value; }

${numbered(CHAIN, (i) => `interface C${i} { at: Date; next?: Partial<C${i + 1}> }`)}
interface C${CHAIN} { end: string }
/** Takes a chain. */ export function chain(value: C0): void { void value; }

${numbered(CHAIN, (i) => `type D${i} = [D${i + 1}, string?];`)}
type D${CHAIN} = Date;
/** Takes a chain of tuples. */ export function nested(value: D0): void { void value; }

interface Deep<Value> { of?: Value; a?: Deep<Value[]>; b?: Deep<Set<Value>>; c?: Deep<{ value: Value }> }
/** Takes a type without end. */ export function endless(value: Deep<string>): void { void value; }

type Longer<Text extends string> = { text?: Text; next?: Longer<\`\${Text}x\`> };
/** Takes longer and longer texts. */ export function longer(value: Longer<"">): void { void value; }

interface Page<Item> { items: Item[]; inner?: Page<Item[]> | Page<string> }
interface Finite { page: Page<string>; pages: Page<Page<Page<Page<Page<number>>>>>["items"] }
/** Takes a type without end beside a finite one. */ export function pages(value: Finite): void { void value; }
`.replaceAll("\\`", "`");

/** A type beyond the limit of subschemas. Its own module, because the order of the functions matters. */
const LARGE = `
${numbered(3000, (i) => `interface L${i} { a: string; b: string; c: string; d: string; e: string }`)}
interface All { ${numbered(3000, (i) => `l${i}: L${i};`)} }
/** Takes all. */ export function all(value: All): void { void value; }
/** Takes some. */ export function some(first: L0, last: L2999): void { void first; void last; }
`;

let workspace: Workspace;
let derivation: Derivation;

beforeAll(() => {
  workspace = createWorkspace();
  workspace.write({ "input.ts": TEXT });
  derivation = createDeriver(workspace.path("input.ts"), { check: false }).derive();
});

afterAll(() => workspace.remove());

function toolOf(name: string): Derivation["tools"][number] {
  const tool = derivation.tools.find((each) => each.name === name);
  if (tool === undefined) throw new Error(`${name} is not served: ${JSON.stringify(derivation.diagnostics)}`);
  return tool;
}

/** Nests a value in one property, or in one-element arrays. */
function nest<Value>(times: number, inner: Value, wrap: (value: unknown) => unknown): unknown {
  let value: unknown = inner;
  for (let i = 0; i < times; i++) value = wrap(value);
  return value;
}

describe("a type that occurs in many places", () => {
  test("is written once, without a name of its own too", () => {
    const { inputSchema } = toolOf("partial");
    expect(JSON.stringify(inputSchema).length).toBeLessThan(200 * LEVELS);
    expect(Object.keys(inputSchema.$defs ?? {})).toContain(`PartialP${LEVELS - 1}`);
    const { check } = compileJsonSchema(inputSchema);
    expect(check({ value: nest(LEVELS, { a: 1 }, (l) => ({ l, r: {} })) })).toBe(false);
    expect(check({ value: nest(LEVELS, { a: "" }, (l) => ({ l, r: {} })) })).toBe(true);
  });

  test("is written once in schemas and codecs of tuples", () => {
    const { inputSchema, outputSchema, binding } = toolOf("tuples");
    for (const part of [inputSchema, outputSchema, binding]) {
      expect(JSON.stringify(part).length).toBeLessThan(800 * TUPLES);
    }
    const value = nest(TUPLES, ["2026-01-02T03:04:05.000Z", "a"], (inner) => [inner]);
    expect(compileJsonSchema(inputSchema).check({ value })).toBe(true);
    const decoded = binding.decode && decode(binding.decode, { value });
    expect((decoded as { value: unknown[] }).value.flat(100)[0]).toBeInstanceOf(Date);
    expect(binding.result.encode && encode(binding.result.encode, (decoded as { value: unknown }).value)).toEqual(
      value,
    );
  });
});

describe("a finite type", () => {
  test.each(["ring", "chain", "nested"])("is derived however deep it is: %s", (name) => {
    const { inputSchema } = toolOf(name);
    expect(() => compileJsonSchema(inputSchema)).not.toThrow();
  });

  test("validates values that are nested deep", () => {
    const { check } = compileJsonSchema(toolOf("chain").inputSchema);
    const at = "2026-01-02T03:04:05.000Z";
    const value = { at, next: nest(300, { at }, (next) => ({ at, next })) };
    expect(check({ value })).toBe(true);
    expect(check({ value: { at, next: nest(300, { at: 1 }, (next) => ({ at, next })) } })).toBe(false);
  });
});

describe("a type beyond the limit", () => {
  test("does not affect other functions that need a part of it", () => {
    workspace.write({ "large.ts": LARGE });
    const { tools, diagnostics } = createDeriver(workspace.path("large.ts"), { check: false }).derive();
    expect(diagnostics.map(({ code }) => code)).toEqual(["PF1110"]);
    expect(tools.map(({ name }) => name)).toEqual(["some"]);
  });
});

describe("a type without end", () => {
  test("is reported at the property that expands it, and the other functions are served", () => {
    const errors = derivation.diagnostics.filter(({ severity }) => severity === "error");
    const found = errors.map(({ code, message }) => `${code} ${message.split(" has ")[0]}`);
    expect(found).toEqual([
      "PF1107 Property 'a' of 'Deep'",
      "PF1107 Property 'b' of 'Deep'",
      "PF1107 Property 'c' of 'Deep'",
      "PF1107 Property 'next' of 'Longer'",
      "PF1107 An item of property 'items' of 'Page'",
      "PF1107 Property 'inner' of 'Page'",
    ]);
    expect(derivation.tools.map(({ name }) => name)).toEqual(["partial", "tuples", "ring", "chain", "nested"]);
  });
});
