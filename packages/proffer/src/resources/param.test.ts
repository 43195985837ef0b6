import { describe, expectTypeOf, it } from "vitest";
import { z } from "zod";
import { defineResource } from "./define.ts";
import { charset, integer, oneOf, path } from "./param-kinds.ts";

describe("the argument of a resource's handler", () => {
  it("is typed from the template and its parameters", () => {
    defineResource({
      uri: "orders://{orderId}{?limit,page,sort,q,from}",
      name: "Order",
      params: {
        orderId: /^\d+$/,
        limit: integer({ default: 100, max: 10_000 }),
        page: integer(),
        sort: oneOf("up", "down"),
        from: z.coerce.date().optional(),
      },
      read(params) {
        expectTypeOf(params).toEqualTypeOf<{
          readonly orderId: string;
          readonly limit: number;
          readonly page: number | undefined;
          readonly sort: "up" | "down" | undefined;
          readonly q: string | undefined;
          readonly from: Date | undefined;
        }>();
      },
    });
  });

  it("has lists for exploded variables", () => {
    defineResource({
      uri: "x://{a}{/more*}/end{?n*}",
      name: "x",
      params: { a: path(), n: integer() },
      read(params) {
        expectTypeOf(params).toEqualTypeOf<{
          readonly a: string;
          readonly more: string[] | undefined;
          readonly n: number[] | undefined;
        }>();
      },
    });
  });

  it("is empty for a uri without variables, and open for a uri that is not a literal", () => {
    defineResource({
      uri: "x://y",
      name: "x",
      read: (params) => expectTypeOf(params).toEqualTypeOf<Record<never, never>>(),
    });
    defineResource({
      uri: "x://{y}" as string,
      name: "x",
      params: { y: integer() },
      read: (params) => expectTypeOf(params.y).toEqualTypeOf<number>(),
    });
  });

  it("rejects parameters and completions that are not variables of the template", () => {
    // @ts-expect-error: there is no {b}
    const wrong = () => defineResource({ uri: "x://{a}", name: "x", params: { b: charset("a") }, read: () => "" });
    expectTypeOf(wrong).toBeFunction();
    // @ts-expect-error: there is no {b}
    const alsoWrong = () => defineResource({ uri: "x://{a}", name: "x", complete: { b: ["x"] }, read: () => "" });
    expectTypeOf(alsoWrong).toBeFunction();
  });
});
