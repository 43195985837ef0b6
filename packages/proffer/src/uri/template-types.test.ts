import { describe, expect, expectTypeOf, it } from "vitest";
import { createRouter } from "./routes.ts";
import { parseTemplate, type Template, type TemplateValues, type TemplateVariables } from "./template.ts";

describe("the types of a literal template", () => {
  it("contain the names of its variables", () => {
    expectTypeOf<TemplateVariables<"orders://{orderId}{?limit}">>().toEqualTypeOf<"orderId" | "limit">();
    expectTypeOf<TemplateVariables<"{+a}{#b}{.c}{/d,e*}{;f:3}{?g,h*}{&i}">>().toEqualTypeOf<
      "a" | "b" | "c" | "d" | "e" | "f" | "g" | "h" | "i"
    >();
    expectTypeOf<TemplateVariables<"orders://terms">>().toEqualTypeOf<never>();
    expectTypeOf<TemplateVariables<string>>().toEqualTypeOf<string>();
  });

  it("make omissible variables optional, and exploded variables lists", () => {
    expectTypeOf<TemplateValues<"orders://{orderId}{?limit}">>().toEqualTypeOf<{ orderId: string; limit?: string }>();
    expectTypeOf<TemplateValues<"{a,b:3}{+c*}{/d*}{.e}{;f}{?g*}{&h}{#i}">>().toEqualTypeOf<{
      a: string;
      b: string;
      c: string[];
      d?: string[];
      e?: string;
      f?: string;
      g?: string[];
      h?: string;
      i?: string;
    }>();
  });

  it("make an exploded variable a map if Maps contains it", () => {
    expectTypeOf<TemplateValues<"a{?b*,c*}", "b">>().toEqualTypeOf<{ b?: Record<string, string>; c?: string[] }>();
  });

  it("are empty without expressions, and allow any name without a literal", () => {
    expectTypeOf<keyof TemplateValues<"orders://terms">>().toEqualTypeOf<never>();
    expectTypeOf<TemplateValues<string>>().toEqualTypeOf<Record<string, string | string[]>>();
  });

  it("apply to expand and match", () => {
    const template = parseTemplate("orders://{orderId}{?tags*}");
    const match = template.match(template.expand({ orderId: 7, tags: ["a"] }));
    expectTypeOf(match?.values).toEqualTypeOf<{ orderId: string; tags?: string[] } | undefined>();
    expect(match?.values).toEqual({ orderId: "7", tags: ["a"] });
    // @ts-expect-error The template has no variable of this name.
    expect(template.expand({ orderid: 7 })).toBe("orders://");
    const mapped = template.match("orders://7?b=c", { maps: ["tags"] });
    expectTypeOf(mapped?.values.tags).toEqualTypeOf<Record<string, string> | undefined>();
  });

  it("are assignable to Template", () => {
    const template: Template = parseTemplate("orders://{orderId}{?tags*,limit}");
    expectTypeOf(template.match("x")?.values.orderId).toEqualTypeOf<string | string[] | undefined>();
    const router = createRouter<number>();
    router.add(parseTemplate("orders://{orderId}"), 1);
    expect(router.match("orders://7")?.match.values.orderId).toBe("7");
  });
});
