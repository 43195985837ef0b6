import { Report } from "./report.ts";
import { anything, createRule, nothing, type Rule } from "./rule.ts";
import { MAX_WORK, run, startRun } from "./run.ts";
import { indexSchema, type SchemaIndex } from "./schema-index.ts";
import { compileSchema } from "./schema-rule.ts";
import type { CompiledSchema, JsonSchema, SchemaIssue } from "./types.ts";

const TOO_COMPLEX: SchemaIssue = {
  pointer: "",
  message: `is too complex to validate: it takes more than ${MAX_WORK} steps. Simplify the value or the schema`,
};

/**
 * Compiles a JSON Schema 2020-12 into closures, on first use; no code is generated.
 *
 * Formats are asserted, numbers must be finite, and properties whose value is `undefined` are absent, as in JSON. A
 * value that takes too much work to validate, or is nested too deep for the stack, is invalid.
 * @throws {UsageError} `bad_schema`, `unsupported_keyword` or `unsafe_pattern`
 */
export function compileJsonSchema(schema: JsonSchema): CompiledSchema {
  return compileIndex(indexSchema(schema));
}

/** Compiles an indexed schema, like `compileJsonSchema`. */
export function compileIndex(index: SchemaIndex): CompiledSchema {
  const rules = rulesOf(index);
  let rule: Rule | undefined;
  const root = () => {
    rule ??= rules.ruleAt("");
    return rule;
  };
  return {
    check: (value) => checkRoot(root(), value),
    issues: (value) => explainRoot(root(), value),
  };
}

function checkRoot(root: Rule, value: unknown): boolean {
  try {
    startRun(false);
    const matches = root.check(value);
    if (matches || run.left < 0) return run.left >= 0;
    // An inherited enumerable property may be the reason. JSON has no inheritance, so check again with own properties.
    startRun(true);
    return root.check(value) && run.left >= 0;
  } catch (error) {
    if (error instanceof RangeError) return false;
    throw error;
  }
}

function explainRoot(root: Rule, value: unknown): SchemaIssue[] {
  const report = new Report("");
  try {
    startRun(true);
    root.explain(value, "", report);
  } catch (error) {
    if (error instanceof RangeError) return [{ pointer: "", message: "is nested too deep to validate" }];
    throw error;
  }
  if (run.left >= 0) return report.list();
  // Looking for issues takes more work than the check.
  if (report.count === 0 && checkRoot(root, value)) return [];
  // The issues found within the limit are real; the rest of the value has not been examined.
  return [...report.issues, TOO_COMPLEX];
}

/** The rules of a schema and its subschemas, compiled on first use. */
export interface SchemaRules {
  readonly index: SchemaIndex;
  /** Returns the rule of the subschema at a pointer. */
  ruleAt(pointer: string): Rule;
}

/** Compiles single subschemas of a schema. @throws {UsageError} like `compileJsonSchema` */
export function compileRules(root: JsonSchema): SchemaRules {
  return rulesOf(indexSchema(root));
}

function rulesOf(index: SchemaIndex): SchemaRules {
  const rules = new Map<string, Rule>();
  const links: (() => void)[] = [];

  function ruleAt(pointer: string): Rule {
    const known = rules.get(pointer);
    if (known !== undefined) return known;
    const schema = index.schemas.get(pointer) ?? true;
    const rule =
      typeof schema === "boolean"
        ? schema
          ? anything
          : nothing
        : compileSchema({ schema, pointer, index, ruleAt, referTo });
    rules.set(pointer, rule);
    return rule;
  }

  /** Returns a rule that forwards to its target. The target is compiled later, so that schemas can be recursive. */
  function referTo(pointer: string): Rule {
    let target = nothing;
    links.push(() => {
      target = ruleAt(pointer);
    });
    return createRule(
      (value) => --run.left >= 0 && target.check(value),
      (value, place, report) => {
        if (--run.left >= 0) target.explain(value, place, report);
      },
    );
  }

  return {
    index,
    ruleAt(pointer) {
      const rule = ruleAt(pointer);
      // The list grows while the targets are compiled.
      for (const link of links) link();
      links.length = 0;
      return rule;
    },
  };
}
