import assert from "node:assert/strict";
import fc from "fast-check";
import type { TemplateValue } from "../packages/proffer/src/uri/match.ts";
import { EXPANSIONS, type Operator, type Part, type Variable } from "../packages/proffer/src/uri/parse.ts";
import { type Expandable, parseTemplate, type Template } from "../packages/proffer/src/uri/template.ts";
import type { Target } from "./target.ts";

type Values = Record<string, TemplateValue>;

const operator = fc.constantFrom<Operator>("", "", "", "+", "+", "#", ".", ".", "/", "/", ";", "?", "&");
const modifier = fc.oneof(
  { weight: 6, arbitrary: fc.constant("") },
  { weight: 2, arbitrary: fc.constant("*") },
  { weight: 1, arbitrary: fc.integer({ min: 1, max: 4 }).map((length) => `:${length}`) },
);
const expression = fc.record({ operator, modifiers: fc.array(modifier, { minLength: 1, maxLength: 3 }) });
const literal = fc.constantFrom(
  "x",
  "/",
  "/",
  "/y/",
  "-",
  ".json",
  ":",
  ",",
  ";",
  "=",
  "~",
  "é",
  "%2F",
  "://",
  "a.b/c-d",
);
const ending = fc.constantFrom(
  ...[
    "",
    "",
    "",
    "?k=1",
    "?k=1&q={last}",
    "?q={+last}",
    "{?last}",
    "{?last*}",
    "#{last}",
    "#a/{last}:b",
    "{#last}",
    "{#last*}",
  ],
);

/** The text of a template whose variables are all different. */
const templateText = fc
  .tuple(fc.array(fc.oneof(literal, expression), { minLength: 1, maxLength: 7 }), ending)
  .map(([parts, end]) => {
    let count = 0;
    const texts = parts.map((part) => {
      if (typeof part === "string") return part;
      const names = part.modifiers.map((suffix) => `v${count++}${suffix}`);
      return `{${part.operator}${names.join(",")}}`;
    });
    return texts.join("") + end;
  });

/** The component of a URI that contains a variable: it decides which characters an unencoded value may have. */
type Section = "path" | "query" | "fragment";

function sectionsOf(parts: readonly Part[]): Map<string, Section> {
  const sections = new Map<string, Section>();
  let section: Section = "path";
  for (const part of parts) {
    if (typeof part === "string") {
      if (part.includes("?") && section === "path") section = "query";
      if (part.includes("#")) section = "fragment";
      continue;
    }
    if (part.operator === "?") section = "query";
    if (part.operator === "#") section = "fragment";
    for (const { name } of part.variables) sections.set(name, section);
  }
  return sections;
}

const TRIPLET = /%[0-9A-Fa-f]{2}/;

const text = fc.string({ unit: "grapheme", maxLength: 8 });
const wild = fc.oneof(
  text,
  fc.constantFrom("a/b", "..", "a.b,c", "k=v;w", "%", "%41", "%%414", "%zz", "?#&", "é😀", " ", "__proto__"),
);

/** A text that can be the value of a variable, between its separators. */
function textFor(variable: Variable, section: Section, key = false): fc.Arbitrary<string> {
  const { reserved, separator } = EXPANSIONS[variable.operator];
  let forbidden = "";
  if (reserved) forbidden += { path: "?#", query: "&#", fragment: "" }[section];
  if (variable.explode && (reserved || separator === ".")) forbidden += separator;
  if (key && reserved) forbidden += "=";
  return wild.map((value) => {
    let fitting = Array.from(value)
      .filter((char) => !forbidden.includes(char))
      .join("");
    while (reserved && TRIPLET.test(fitting)) fitting = fitting.replace(TRIPLET, "");
    if (variable.prefix !== undefined) fitting = Array.from(fitting).slice(0, variable.prefix).join("");
    const needed = key || variable.operator === "" || variable.operator === "+";
    return needed && fitting === "" ? "e" : fitting;
  });
}

function valueFor(variable: Variable, section: Section, asMap: boolean): fc.Arbitrary<TemplateValue> {
  if (!variable.explode) return textFor(variable, section);
  if (!asMap) return fc.array(textFor(variable, section), { minLength: 1, maxLength: 4 });
  // Keys of a map must not be those of other variables, which are v0, v1, … and last, or k and q.
  const key = textFor(variable, section, true).map((name) => `m${name}`);
  return fc.dictionary(key, textFor(variable, section), { minKeys: 1, maxKeys: 4, noNullPrototype: true });
}

interface Case {
  /** The text of the template. */
  readonly source: string;
  readonly values: Values;
  readonly maps: readonly string[];
}

/** Values that round-trip, as defined in docs/uri-templates.md. */
function valuesFor(template: Template, source: string): fc.Arbitrary<Case> {
  const sections = sectionsOf(template.parts);
  const present = fc.array(fc.boolean(), {
    minLength: template.variables.length,
    maxLength: template.variables.length,
  });
  return fc.tuple(present, fc.boolean()).chain(([wanted, asMap]) => {
    const maps = asMap ? chooseMaps(template) : [];
    const chosen: Record<string, fc.Arbitrary<TemplateValue>> = {};
    for (const [index, variable] of template.variables.entries()) {
      const section = sections.get(variable.name) ?? "path";
      if (!isPresent(template, index, wanted, chosen)) continue;
      chosen[variable.name] = valueFor(variable, section, maps.includes(variable.name));
    }
    return fc.record(chosen, { noNullPrototype: true }).map((values) => ({ source, values, maps }));
  });
}

/** At most one map for all pairs of a query or an expression; the others may all be maps. */
function chooseMaps({ parts }: Template): string[] {
  const maps: string[] = [];
  let queryHasMap = false;
  for (const part of parts) {
    if (typeof part === "string") continue;
    let hasMap: boolean = part.operator === ";" ? false : queryHasMap;
    for (const { name, explode, operator } of part.variables) {
      const { named } = EXPANSIONS[operator];
      if (!explode || (named && hasMap)) continue;
      maps.push(name);
      if (named) hasMap = true;
    }
    if (part.operator !== ";") queryHasMap = hasMap;
  }
  return maps;
}

function isPresent(template: Template, index: number, wanted: readonly boolean[], chosen: object): boolean {
  const variable = template.variables[index];
  const before = template.variables[index - 1];
  if (variable === undefined || variable.operator === "" || variable.operator === "+") return true;
  // In {/a,b} and {/a}{/b}, b is only present if a is.
  if (variable.operator === "/" && before?.operator === "/" && !(before.name in chosen)) return false;
  // If a {&…} follows, the "?" must be written, or the "&" would be read as part of the path.
  const continued = template.variables.slice(index).some((later) => later.operator === "&");
  if (variable.operator === "?" && before?.operator !== "?" && continued) return true;
  return wanted[index] === true;
}

const cases = templateText
  .map((source) => ({ source, template: parseTemplate(source) }))
  .filter(({ template }) => template.ambiguity === undefined && template.variables.length > 0)
  .chain(({ source, template }) => valuesFor(template, source));

const KINDS = ["", "*", ":", "+", "+*", "#", "#*", ".", ".*", "/", "/*", ";", ";*", "?", "?*", "&", "&*"];

/** Expands random unambiguous templates with random values; matching the URI must return the same values. */
export const uriExpand: Target = {
  name: "uri-expand",
  runs: 2_000,
  open() {
    const seen = new Set<string>();
    const property = fc.property(cases, ({ source, values, maps }) => {
      const template = parseTemplate(source);
      const uri = template.expand(values as Record<string, Expandable>);
      const match = template.match(uri, { maps });
      assert.deepEqual(toEntries(match?.values), toEntries(values), `${source} ${uri}`);
      assert.deepEqual([match?.unknown.size, match?.faults], [0, []]);
      for (const { operator: used, explode, prefix } of template.variables) {
        seen.add(`${used}${explode ? "*" : ""}${prefix === undefined ? "" : ":"}`);
      }
    });
    const close = () => {
      // A generator that never produces some kind of variable would prove nothing about it.
      if (seen.size > 0)
        assert.deepEqual(
          KINDS.filter((kind) => !seen.has(kind)),
          [],
        );
    };
    return { property, close };
  },
};

/** Returns plain data: the prototypes of the objects do not matter. */
function toEntries(values: unknown): unknown {
  return JSON.parse(JSON.stringify(values ?? null));
}
