import assert from "node:assert/strict";
import fc from "fast-check";
import type { MatchOptions } from "../packages/proffer/src/uri/match.ts";
import { TemplateError } from "../packages/proffer/src/uri/parse.ts";
import { parseTemplate } from "../packages/proffer/src/uri/template.ts";
import { countSteps } from "../packages/proffer/test/count-steps.ts";
import type { Target } from "./target.ts";

const piece = fc.constantFrom(
  ...[
    "a",
    "b",
    "x",
    "/",
    "//",
    "-",
    ".",
    ",",
    ";",
    "=",
    "&",
    "?",
    "#",
    "%",
    "%41",
    "%zz",
    ":",
    "é",
    "\ud800",
    "\n",
    "__proto__",
  ],
);
const expression = fc
  .tuple(
    fc.constantFrom("", "+", "#", ".", "/", ";", "?", "&"),
    fc.array(fc.constantFrom("a", "b", "c*", "d:2", "e"), { minLength: 1, maxLength: 3 }),
  )
  .map(([operator, specs]) => `{${operator}${specs.join(",")}}`);
const templateText = fc
  .array(fc.oneof(piece, expression, fc.constantFrom("{", "}", "{!a}")), { maxLength: 8 })
  .map((parts) => parts.join(""));
const uri = fc.array(piece, { maxLength: 40 }).map((parts) => parts.join(""));

const options = fc.record<MatchOptions>(
  { decode: fc.boolean(), duplicates: fc.constantFrom("error", "first", "last") },
  { requiredKeys: [], noNullPrototype: true },
);

/** Random templates are rejected, or match random URIs in a number of steps that is linear in their length. */
export const uriMatch: Target = {
  name: "uri-match",
  runs: 2_000,
  open() {
    let matches = 0;
    let total = 0;
    const property = fc.property(templateText, uri, options, (text, target, how) => {
      total++;
      let template: ReturnType<typeof parseTemplate>;
      try {
        template = parseTemplate(text);
      } catch (error) {
        assert.ok(error instanceof TemplateError);
        return;
      }
      if (template.ambiguity !== undefined) return;
      const steps = countSteps(() => {
        if (template.match(target, how) !== undefined) matches++;
      });
      assert.ok(steps < 10 * (text.length + target.length + 5), `${steps} steps`);
    });
    const close = () => assert.ok(total < 1_000 || matches > 0);
    return { property, close };
  },
};
