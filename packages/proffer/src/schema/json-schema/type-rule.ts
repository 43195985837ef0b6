import { isObject } from "../../protocol/messages.ts";
import { type Check, createRule, type Kind, type Rule } from "./rule.ts";

/** The rule of each type name. NaN and the infinities are not JSON, although `JSON.parse("1e999")` returns one. */
export const typeRules: ReadonlyMap<string, Rule> = new Map([
  ["string", createTypeRule("string", (value) => typeof value === "string", "string")],
  ["number", createTypeRule("number", Number.isFinite, "number")],
  ["integer", createTypeRule("integer", Number.isInteger, "integer")],
  ["boolean", createTypeRule("boolean", (value) => typeof value === "boolean", "boolean")],
  ["null", createTypeRule("null", (value) => value === null)],
  ["array", createTypeRule("array", Array.isArray)],
  ["object", createTypeRule("object", isObject)],
]);

/** Compiles the keyword `type`. */
export function compileTypes(types: readonly string[]): Rule {
  const rules = types.map((type) => typeRules.get(type)).filter((rule) => rule !== undefined);
  const [only] = rules;
  if (only !== undefined && rules.length === 1) return only;
  const checks = rules.map((rule) => rule.check);
  return createTypeRule(types.join(" or "), (value) => somePasses(checks, value));
}

function somePasses(checks: readonly Check[], value: unknown): boolean {
  for (const check of checks) if (check(value)) return true;
  return false;
}

function createTypeRule(name: string, check: Check, kind?: Kind): Rule {
  return createRule(
    check,
    (value, pointer, report) => {
      if (!check(value)) report.addType(pointer, name);
    },
    kind,
  );
}
