import type { JsonSchema, JsonSchemaObject } from "proffer";
import {
  type Alternatives,
  alternativesOf,
  areApart,
  hasType,
  isType,
  memberOf,
  SchemaVersion,
  summaryOf,
  textOf,
} from "./schema-version.ts";

/** A reason why one schema may accept a value that another refuses. */
export interface Gap {
  /** The place in the value: names of properties, `*` for properties without a name, and `[]` for items of a list. */
  readonly path: readonly string[];
  /** The keyword that refuses the value. */
  readonly keyword: string;
  /** The rule of the first schema. */
  readonly from: unknown;
  /** The rule of the other schema. */
  readonly to: unknown;
  /** Only values with properties that the first schema does not declare are refused. */
  readonly isUndeclared: boolean;
}

const NO_GAPS: readonly Gap[] = [];
/** Each pair of schemas is a step; unions of unions take very many. */
const MAX_STEPS = 50_000;

/**
 * Finds reasons why a value of `narrow` may not be a value of `wide`, by rules that compare the same place of both: `wide`
 * may have more alternatives, values and optional properties, and looser limits. Everything else is a gap, although a
 * proof could accept some of it.
 * @throws {RangeError} if the schemas are too large or nested too deeply to be compared.
 */
export function findGaps(narrow: JsonSchema, wide: JsonSchema): readonly Gap[] {
  const [narrowVersion, wideVersion] = [new SchemaVersion(narrow), new SchemaVersion(wide)];
  const sharesReferences = narrowVersion.sharesReferences(wideVersion);
  /** The pairs whose comparison has begun: a value that nests itself is finite, so such a pair may be assumed. */
  const begun = new Map<JsonSchema, Set<JsonSchema>>();
  let steps = 0;
  return compare(narrowVersion.root, wideVersion.root, []);

  function compare(given: JsonSchema, other: JsonSchema, path: readonly string[]): readonly Gap[] {
    const [narrow, wide] = [narrowVersion.follow(given), wideVersion.follow(other)];
    if (wide === true || narrow === false || isSame(narrow, wide)) return NO_GAPS;
    if (wide === false) return [gap(path, "false", narrow, false)];
    if (++steps > MAX_STEPS) throw new RangeError("The schemas are too complex to compare.");
    const partners = begun.get(narrow) ?? new Set();
    if (partners.has(wide)) return NO_GAPS;
    begun.set(narrow, partners.add(wide));
    try {
      return distinct(compareAlternatives(narrow === true ? {} : narrow, wide, path));
    } finally {
      partners.delete(wide);
    }
  }

  function compareAlternatives(
    narrow: JsonSchemaObject,
    wide: JsonSchemaObject,
    path: readonly string[],
  ): readonly Gap[] {
    const [given, allowed] = [alternativesOf(narrowVersion, narrow, false), alternativesOf(wideVersion, wide, true)];
    // Two alternatives of a oneOf that can both match refuse values, so no rule applies to them.
    if (given === undefined || allowed === undefined) return [gap(path, "oneOf", narrow, wide)];
    const isAllowed = ([text, value]: readonly [string, unknown]) =>
      allowed.values.has(text) || allowed.schemas.some((schema) => isType(schema) && hasType(value, schema.type));
    const lost = [...given.values].every(isAllowed) ? [] : [gap(path, "enum", summaryOf(given), summaryOf(allowed))];
    return [...lost, ...given.schemas.flatMap((each) => findAlternative(each, given, allowed, path))];
  }

  function findAlternative(
    narrow: JsonSchemaObject,
    given: Alternatives,
    allowed: Alternatives,
    path: readonly string[],
  ): readonly Gap[] {
    const isOnly = allowed.schemas.length === 1 && allowed.values.size === 0 && given.schemas.length === 1;
    const near = allowed.schemas.filter(
      (each) => (isOnly && narrow.type === each.type) || !areApart(narrowVersion, narrow, wideVersion, each),
    );
    const found = near.map((each) => comparePlain(narrow, each, path));
    if (found.some((gaps) => gaps.length === 0)) return NO_GAPS;
    const [first] = found;
    if (first !== undefined && found.length === 1) return first;
    const isSimple = [...given.schemas, ...allowed.schemas].every(isType);
    return isSimple
      ? [gap(path, "type", summaryOf(given), summaryOf(allowed))]
      : [gap(path, "anyOf", narrow.type === "object" ? narrow : summaryOf(given), summaryOf(allowed))];
  }

  /** Compares two alternatives, keyword by keyword. */
  function comparePlain(narrow: JsonSchemaObject, wide: JsonSchemaObject, path: readonly string[]): readonly Gap[] {
    if (++steps > MAX_STEPS) throw new RangeError("The schemas are too complex to compare.");
    return Object.entries(wide).flatMap(([keyword, value]) => compareKeyword(narrow, wide, keyword, value, path));
  }

  function compareKeyword(
    narrow: JsonSchemaObject,
    wide: JsonSchemaObject,
    keyword: string,
    value: unknown,
    path: readonly string[],
  ): readonly Gap[] {
    const own = keywordOf(narrow, keyword);
    switch (keyword) {
      case "$defs":
        return NO_GAPS;
      case "type": {
        const allowed = [value].flat();
        const isAllowed = (type: unknown) =>
          allowed.includes(type) || (type === "integer" && allowed.includes("number"));
        return own !== undefined && [own].flat().every(isAllowed) ? NO_GAPS : [gap(path, "type", own, value)];
      }
      case "enum": {
        const allowed = new Set((value as readonly unknown[]).map(textOf));
        const isWithin = Array.isArray(own) && own.every((each) => allowed.has(textOf(each)));
        return isWithin ? NO_GAPS : [gap(path, "enum", own ?? narrow.type, value)];
      }
      case "required": {
        const missing = (value as readonly string[]).filter((name) => !narrow.required?.includes(name));
        // `from` says whether the first schema knows the property.
        const isKnown = (name: string) => Object.hasOwn(narrow.properties ?? {}, name);
        return missing.map((name) => gap([...path, name], "required", isKnown(name) ? false : undefined, true));
      }
      case "properties":
        return Object.entries(value as object).flatMap(([name, part]) => compareProperty(narrow, name, part, path));
      case "additionalProperties":
        return compareOthers(narrow, wide, value as JsonSchema, path);
      case "prefixItems":
        return (value as readonly JsonSchema[]).flatMap((part, index) =>
          compare(narrow.prefixItems?.[index] ?? narrow.items ?? true, part, [...path, "[]"]),
        );
      case "items": {
        const others = narrow.prefixItems?.slice(wide.prefixItems?.length ?? 0) ?? [];
        const given = [...others, narrow.items ?? true];
        return given.flatMap((part) => compare(part, value as JsonSchema, [...path, "[]"]));
      }
      case "anyOf":
      case "oneOf":
        if (own === undefined || isSame(own, value)) break;
        return compareAlternatives({ [keyword]: narrow[keyword] }, { [keyword]: wide[keyword] }, path);
      case "$ref": {
        const target = narrow.$ref === undefined ? undefined : narrowVersion.resolve(narrow.$ref);
        return compare(target ?? true, wideVersion.resolve(value as string) ?? false, path);
      }
    }
    return isWithin(narrow, wide, keyword, value) ? NO_GAPS : [gap(path, keyword, own, value)];
  }

  function compareProperty(
    narrow: JsonSchemaObject,
    name: string,
    wide: JsonSchema,
    path: readonly string[],
  ): readonly Gap[] {
    const declared = memberOf(narrow.properties, name);
    const inner = [...path, name];
    if (declared !== undefined) return compare(declared, wide, inner);
    // Another keyword may declare the name.
    const isUnknown = ["patternProperties", "allOf", "anyOf", "oneOf", "$ref"].some((keyword) => keyword in narrow);
    const others = isUnknown ? true : (narrow.additionalProperties ?? true);
    const gaps = compare(others, wide, inner);
    if (others !== true || gaps.length === 0) return gaps;
    return [{ ...gap(inner, "properties", undefined, wide), isUndeclared: !isUnknown }];
  }

  /** Compares the properties that the wide schema does not name. */
  function compareOthers(
    narrow: JsonSchemaObject,
    { properties, patternProperties }: JsonSchemaObject,
    wide: JsonSchema,
    path: readonly string[],
  ): readonly Gap[] {
    const gone = Object.entries(narrow.properties ?? {}).filter(([name]) => memberOf(properties, name) === undefined);
    const gaps = gone.flatMap(([name, part]) => {
      const found = compare(part, wide, [...path, name]);
      return found.length > 0 && wide === false ? [gap([...path, name], "gone", true, false)] : found;
    });
    const patterns = [narrow.patternProperties, patternProperties].map((each) => textOf(each ?? {}));
    const { additionalProperties: own = true } = narrow;
    const others = compare(own, wide, [...path, "*"]);
    const isRefused = (others.length > 0 && own === true) || (wide !== true && patterns[0] !== patterns[1]);
    return [...gaps, ...(isRefused ? [gap(path, "additionalProperties", own, wide)] : others)];
  }

  function isWithin(narrow: JsonSchemaObject, wide: JsonSchemaObject, keyword: string, value: unknown): boolean {
    const isWithin = LIMITS[keyword];
    if (isWithin?.(narrow, value as number) === true) return true;
    if (keyword === "unevaluatedItems" || keyword === "unevaluatedProperties" || keyword === "$dynamicRef")
      return false;
    const words = TOGETHER.find((group) => group.includes(keyword)) ?? [keyword];
    return words.every((word) => {
      const [own, other] = [keywordOf(narrow, word), keywordOf(wide, word)];
      return own === undefined || other === undefined ? own === other : isSame(own, other);
    });
  }

  function isSame(narrow: unknown, wide: unknown): boolean {
    const text = textOf(wide);
    return textOf(narrow) === text && (sharesReferences || !text.includes('"$ref"'));
  }
}

/** Keywords that mean something only with each other. */
const TOGETHER: readonly (readonly string[])[] = [
  ["if", "then", "else"],
  ["contains", "minContains", "maxContains"],
];

const [LEAST, MOST] = [Number.NEGATIVE_INFINITY, Number.POSITIVE_INFINITY];

/** Whether the values of a schema are within a limit, by keyword. */
const LIMITS: { readonly [keyword: string]: (narrow: JsonSchemaObject, value: number) => boolean } = {
  minimum: ({ minimum = LEAST, exclusiveMinimum = LEAST }, value) => minimum >= value || exclusiveMinimum >= value,
  maximum: ({ maximum = MOST, exclusiveMaximum = MOST }, value) => maximum <= value || exclusiveMaximum <= value,
  exclusiveMinimum: ({ minimum = LEAST, exclusiveMinimum = LEAST }, value) =>
    minimum > value || exclusiveMinimum >= value,
  exclusiveMaximum: ({ maximum = MOST, exclusiveMaximum = MOST }, value) =>
    maximum < value || exclusiveMaximum <= value,
  minLength: ({ minLength = 0 }, value) => minLength >= value,
  minItems: ({ minItems = 0 }, value) => minItems >= value,
  minProperties: ({ minProperties = 0 }, value) => minProperties >= value,
  maxLength: ({ maxLength = MOST }, value) => maxLength <= value,
  maxItems: ({ maxItems = MOST }, value) => maxItems <= value,
  maxProperties: ({ maxProperties = MOST }, value) => maxProperties <= value,
  uniqueItems: ({ uniqueItems = false }, value) => uniqueItems || !value,
};

function gap(path: readonly string[], keyword: string, from: unknown, to: unknown): Gap {
  return { path, keyword, from, to, isUndeclared: false };
}

function distinct(gaps: readonly Gap[]): readonly Gap[] {
  return [...new Map(gaps.map((each) => [JSON.stringify([each.path, each.keyword, each.to]), each])).values()];
}

function keywordOf(schema: JsonSchemaObject, keyword: string): unknown {
  return Object.hasOwn(schema, keyword) ? (schema as { readonly [keyword: string]: unknown })[keyword] : undefined;
}
