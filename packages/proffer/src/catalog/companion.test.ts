import { describe, expect, expectTypeOf, it } from "vitest";
import type { Context } from "../questions/context.ts";
import { UsageError } from "../support/usage-error.ts";
import { type CompanionOptions, companion, companionOf } from "./companion.ts";

describe("companion", () => {
  it("adds its options to the function", () => {
    const order = (id: string) => id;
    const options = { complete: { id: ["1"] } };
    companion(order, options);
    expect(companionOf(order)).toBe(options);
    expect(Object.keys(order)).toEqual([]);
  });

  it("replaces earlier options, because a new version of a module may use the same function of a package", () => {
    const order = (id: string) => id;
    companion(order, { complete: { id: ["1"] } });
    companion(order, { complete: { id: ["2"] } });
    expect(companionOf(order)).toEqual({ complete: { id: ["2"] } });
  });

  it("refuses a value that is not a function", () => {
    // In a circular import, the function is not there yet.
    expect(() => companion(undefined as unknown as () => void, {})).toThrow(UsageError);
  });

  it("passes the parameters of the function to exists", () => {
    type Options = CompanionOptions<(id: string, ctx: Context, limit?: number) => string>;
    expectTypeOf<NonNullable<Options["exists"]>>().parameters.toEqualTypeOf<[string, Context, (number | undefined)?]>();
  });

  it("allows completions only for the properties of a destructured parameter", () => {
    const greet = ({ name }: { name: string; tone?: string }, ctx: Context) => name + String(ctx);
    companion(greet, { complete: { name: ["Ada"], tone: () => ["plain"] } });
    // @ts-expect-error: there is no argument with this name.
    companion(greet, { complete: { nmae: ["Ada"] } });
    const optional = (ctx: Context, { name }: { name?: string } = {}) => `${name}${String(ctx)}`;
    companion(optional, { complete: { name: ["Ada"] } });
    // @ts-expect-error: there is no argument with this name.
    companion(optional, { complete: { nmae: ["Ada"] } });
  });

  it("refuses unknown options and values at compile time", () => {
    const order = (id: string) => id;
    // @ts-expect-error: completions are texts.
    companion(order, { complete: { id: [1] } });
    // @ts-expect-error: the function has no second parameter.
    companion(order, { exists: (id: string, limit: number) => id.length > limit });
    // @ts-expect-error: there is no such option.
    companion(order, { lists: () => [] });
  });
});
