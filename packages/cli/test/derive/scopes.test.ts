import { afterAll, describe, expect, test } from "vitest";
import { createDeriver } from "../../src/derive/deriver.ts";
import type { Derivation } from "../../src/derive/model/description.ts";
import { createWorkspace } from "./workspace.ts";

const workspace = createWorkspace();
const derivers = new Map(
  ["input.ts", "input.js"].map((entry) => [entry, createDeriver(workspace.path(entry))] as const),
);

afterAll(() => workspace.remove());

function derive(lines: readonly string[], entry = "input.ts"): Derivation {
  workspace.write({ [entry]: `${lines.join("\n")}\n` });
  return derivers.get(entry)?.derive() as Derivation;
}

/** The scopes of each item by its name, and the diagnostics with their places. */
function scopesIn(lines: readonly string[], entry?: string) {
  const { tools, prompts, resources, diagnostics } = derive(lines, entry);
  const items = [...tools, ...prompts, ...resources];
  return {
    items: Object.fromEntries(items.map(({ name, scopes, paramScopes }) => [name, [scopes, paramScopes]])),
    errors: diagnostics
      .filter(({ severity }) => severity === "error")
      .map(({ code, line, column }) => `${code} ${line}:${column}`),
  };
}

describe("@scope", () => {
  test("protects tools, prompts, resources and methods", () => {
    const found = scopesIn([
      "/** Cancels. @scope orders:write orders:read */",
      "export function cancel(id: string): void { void id; }",
      "/**",
      " * Finds.",
      " * @scope orders:read",
      " * @scopes orders:find\torders:read",
      " */",
      "export const find = (text: string) => text;",
      "/** @prompt Reviews. @scope review */",
      "export const review = (code: string) => code;",
      "/** An order. @resource orders://{id} @scope orders:read */",
      "export const order = (id: string) => id;",
      "export const admin = {",
      "  /** Resets. @scope admin */",
      "  reset(): void {},",
      "};",
      "/** Closes. @returns nothing. @scope orders:write */",
      "export function close(): void {}",
      "/** Open. */",
      "export const open = () => 1;",
    ]);
    expect(found).toEqual({
      items: {
        cancel: [["orders:write", "orders:read"], undefined],
        find: [["orders:read", "orders:find"], undefined],
        review: [["review"], undefined],
        order: [["orders:read"], undefined],
        admin_reset: [["admin"], undefined],
        close: [["orders:write"], undefined],
        open: [undefined, undefined],
      },
      errors: [],
    });
  });

  test("protects parameters, under the names that clients use", () => {
    const found = scopesIn([
      "/**",
      " * Cancels.",
      " * @param id - which order.",
      " * @param force - skips the check. @scope orders:admin orders:force @as hard",
      " * @scope orders:write",
      " */",
      "export const cancel = (id: string, force?: boolean) => [id, force];",
      "interface Options { /** All of them. @scope orders:all @as every */ all?: boolean; limit?: number }",
      "/** Lists. @param options.limit - how many. @scope orders:many */",
      "export const list = ({ all, limit }: Options) => [all, limit];",
      "/** Names. */",
      "export const named = (/** Who. @scope people */ who: string) => who;",
      "/** @prompt Asks. @param tone - how. @scope tone */",
      "export const ask = (tone: string) => tone;",
      "/** An order. @resource orders://{id}{?full} @param id - which @param full - all of it. @scope orders:full */",
      "export const order = (id: string, full?: boolean) => [id, full];",
    ]);
    expect(found).toEqual({
      items: {
        cancel: [["orders:write"], { hard: ["orders:admin", "orders:force"] }],
        list: [undefined, { every: ["orders:all"], limit: ["orders:many"] }],
        named: [undefined, { who: ["people"] }],
        ask: [undefined, { tone: ["tone"] }],
        order: [undefined, { full: ["orders:full"] }],
      },
      errors: [],
    });
  });

  test("protects functions and parameters in JavaScript", () => {
    const found = scopesIn(
      [
        "/**",
        " * Cancels.",
        " * @scope orders:write",
        " * @param {string} id - which order. @scope orders:admin",
        " */",
        "export const cancel = (id) => id;",
      ],
      "input.js",
    );
    expect(found).toEqual({ items: { cancel: [["orders:write"], { id: ["orders:admin"] }] }, errors: [] });
  });

  test.each([
    ['orders"write', "a quote"],
    ["orders\\write", "a backslash"],
    ["ordérs", "other characters than ASCII"],
    ["", "nothing"],
    ["orders:read, orders:write", "commas"],
    ["orders:write.", "the end of a sentence"],
    ["orders:write - to cancel", "a description"],
  ])("refuses %j: %s", (value) => {
    const lines = [`/** Cancels. @scope ${value} */`, "export const cancel = (id: string) => id;"];
    expect(scopesIn(lines)).toEqual({ items: {}, errors: ["PF1240 1:14"] });
    const parameter = [
      `/** Cancels. @param id - which. @scope ${value} */`,
      "export const cancel = (id: string) => id;",
    ];
    expect(scopesIn(parameter)).toEqual({ items: {}, errors: ["PF1240 1:33"] });
  });

  test("refuses text on the next line, which would be scopes", () => {
    const lines = [
      "/**",
      " * Cancels.",
      " * @scope a",
      " * and more",
      " */",
      "export const cancel = (id: string) => id;",
    ];
    expect(scopesIn(lines)).toEqual({ items: {}, errors: ["PF1240 3:4"] });
  });

  test.each([
    [
      "a property of the result",
      [
        "interface Found { /** The total. @scope a */ total: number }",
        "/** Finds. */",
        "export const find = (): Found => ({ total: 1 });",
      ],
      "PF1241 1:34",
    ],
    [
      "a property of a named parameter",
      [
        "/** Finds. @param options.all - all. @scope a */",
        "export const find = (options: { all: boolean }) => options;",
      ],
      "PF1241 1:38",
    ],
    [
      "a property of a type that is not destructured",
      [
        "interface Options { /** All. @scope a */ all: boolean }",
        "/** Finds. */",
        "export const find = (o: Options) => o.all;",
      ],
      "PF1241 1:30",
    ],
    [
      "a parameter that does not exist",
      ["/** Finds. @param idd - which. @scope a */", "export const find = (id: string) => id;"],
      "PF1241 1:32",
    ],
    [
      "the context",
      [
        'import type { Context } from "proffer";',
        "/** Finds. @param ctx - the context. @scope a */",
        "export const find = (id: string, ctx: Context) => [id, typeof ctx];",
      ],
      "PF1241 2:38",
    ],
    [
      "a deep property of the destructured parameter",
      ["/** Finds. @param o.a.b - deep. @scope a */", "export const find = ({ a }: { a: { b: string } }) => a;"],
      "PF1241 1:33",
    ],
  ])("refuses a scope on %s, and the function", (_what, lines, error) => {
    expect(scopesIn(lines)).toEqual({ items: {}, errors: [error] });
  });

  test("reports a type that is destructured in one function and nested in another only where nothing is protected", () => {
    const found = scopesIn([
      "interface Options { /** All. @scope a */ all: boolean }",
      "/** Finds. */",
      "export const find = ({ all }: Options) => all;",
      "/** Lists. */",
      "export const list = (options: Options, limit: number) => [options.all, limit];",
      "/** Counts. */",
      "export const count = ({ all }: Options) => all;",
    ]);
    const scopes = [undefined, { all: ["a"] }];
    expect(found).toEqual({ items: { find: scopes, count: scopes }, errors: ["PF1241 1:30"] });
  });

  test("refuses a scope on an object or a module, which would protect none of its functions", () => {
    const object = [
      "/** Admin. @scope a */",
      "export const admin = {",
      "  /** Resets. */",
      "  reset(): void {},",
      "};",
    ];
    expect(scopesIn(object).errors).toEqual(["PF1241 1:12"]);
    const module = ["/** Orders. @module @scope a */", "/** Finds. */", "export const find = (id: string) => id;"];
    expect(scopesIn(module).errors).toEqual(["PF1241 1:21"]);
  });

  test("is suggested for a misspelled tag", () => {
    const { diagnostics } = derive(["/** @scop a */", "export const cancel = (id: string) => id;"]);
    expect(diagnostics.map(({ code }) => code)).toContain("PF2101");
  });
});
