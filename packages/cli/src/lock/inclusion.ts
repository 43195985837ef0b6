import type { JsonSchema, JsonSchemaObject } from "proffer";
import { alternativesOf, type Conjunction, contextOf, flatten } from "./conjunction.ts";
import { areDisjoint } from "./disjoint.ts";
import { distinct, type Gap, gap, NO_GAPS, tooHard, weigh } from "./gap.ts";
import { hasSame, isVacuous, isWithin } from "./keyword-check.ts";
import { keywordOf, SchemaVersion, textOf, typesOf, type ValueType, valuesOf } from "./schema-node.ts";
import { declaredNames, itemsAt, matches, partsFor } from "./schema-parts.ts";

/** The comparison of a pair costs steps; unions of unions cost very many. */
const MAX_STEPS = 50_000;
const MAX_DEPTH = 120;
/** More alternatives than these are not told apart. */
const MAX_ALTERNATIVES = 200;

/**
 * Finds reasons why a value of `narrow` may not be a value of `wide`. Without one, every value of `narrow` is a value of
 * `wide`. A proof that is too hard counts as a gap, so the answer errs on the safe side.
 */
export function findGaps(narrow: JsonSchema, wide: JsonSchema): readonly Gap[] {
  return new Inclusion(new SchemaVersion(narrow), new SchemaVersion(wide)).find();
}

class Inclusion {
  readonly #narrow: SchemaVersion;
  readonly #wide: SchemaVersion;
  readonly #sharesDefinitions: boolean;
  /** The pairs whose comparison has begun: a value that nests itself is finite, so such a pair may be assumed. */
  readonly #open = new Set<string>();
  readonly #ids = new WeakMap<object, number>();
  #nextId = 0;
  #steps = 0;

  constructor(narrow: SchemaVersion, wide: SchemaVersion) {
    this.#narrow = narrow;
    this.#wide = wide;
    this.#sharesDefinitions = narrow.definitions === wide.definitions && !narrow.usesRoot && !wide.usesRoot;
  }

  find(): readonly Gap[] {
    return this.#compare([this.#narrow.root], this.#wide.root, []);
  }

  /** Compares values that match all of some schemas with one schema. */
  #compare(given: readonly JsonSchema[], other: JsonSchema, path: readonly string[]): readonly Gap[] {
    const narrow = given.map((each) => this.#narrow.dereference(each));
    const wide = this.#wide.dereference(other);
    if (wide === true || narrow.includes(false)) return NO_GAPS;
    if (++this.#steps > MAX_STEPS || path.length > MAX_DEPTH) return [tooHard(path)];
    if (narrow.some((each) => this.#isSame(each, wide))) return NO_GAPS;
    const key = [...narrow.map((each) => this.#idOf(each)), ">", this.#idOf(wide)].join();
    if (this.#open.has(key)) return NO_GAPS;
    this.#open.add(key);
    try {
      return this.#compareNew(narrow, wide, path);
    } finally {
      this.#open.delete(key);
    }
  }

  #compareNew(narrow: readonly JsonSchema[], wide: JsonSchema, path: readonly string[]): readonly Gap[] {
    const flat = flatten(this.#narrow, narrow);
    if (flat === undefined) return NO_GAPS;
    if (flat === "unknown") return [tooHard(path)];
    const needed = flatten(this.#wide, [wide]);
    if (needed === "unknown") return [tooHard(path)];
    if (needed === undefined) return [gap(path, "false", summaryOf(flat), false)];
    return needed.flatMap((each) => this.#imply(flat, each, path));
  }

  /** Compares with a schema without references and `allOf`. */
  #imply(narrow: Conjunction, wide: JsonSchemaObject, path: readonly string[]): readonly Gap[] {
    const types = typesOf(narrow);
    if (types.length === 0) return NO_GAPS;
    const left = Object.entries(wide).filter(
      ([keyword, value]) =>
        keyword !== "$defs" && !isVacuous(keyword, types) && !hasSame(narrow, keyword, value, this.#sharesDefinitions),
    );
    if (left.length === 0) return NO_GAPS;
    const rest = Object.fromEntries([...left, ...contextOf(wide, left)]) as JsonSchemaObject;
    const values = valuesOf(narrow);
    if (values !== undefined) return this.#implyValues(narrow, values, rest, path);
    const alternatives = alternativesOf(narrow);
    if (alternatives !== undefined) {
      if (alternatives.length > MAX_ALTERNATIVES) return [tooHard(path)];
      const gaps = alternatives.flatMap((each) => this.#compare(each, rest, path));
      return distinct(gaps);
    }
    return left.flatMap(([keyword, value]) => this.#implyKeyword(narrow, types, rest, keyword, value, path));
  }

  #implyValues(
    narrow: Conjunction,
    values: readonly unknown[],
    wide: JsonSchemaObject,
    path: readonly string[],
  ): readonly Gap[] {
    const possible = values.filter((value) => !narrow.some((each) => this.#narrow.accepts(each, value) === false));
    const refused = possible.filter((value) => this.#wide.accepts(wide, value) !== true);
    if (refused.length === 0) return NO_GAPS;
    const keyword = ["enum", "const", "type"].find((each) => Object.hasOwn(wide, each)) ?? "enum";
    return [
      gap(path, "enum", possible, keywordOf(wide, keyword) ?? possible.filter((each) => !refused.includes(each))),
    ];
  }

  #implyKeyword(
    narrow: Conjunction,
    types: readonly ValueType[],
    wide: JsonSchemaObject,
    keyword: string,
    value: unknown,
    path: readonly string[],
  ): readonly Gap[] {
    switch (keyword) {
      case "type": {
        const allowed = typesOf([{ type: value as ValueType[] }]);
        const isAllowed = (type: ValueType) =>
          allowed.includes(type) || (type === "integer" && allowed.includes("number"));
        return types.every(isAllowed) ? NO_GAPS : [gap(path, "type", types, value)];
      }
      case "enum":
      case "const":
        return [gap(path, "enum", summaryOf(narrow), value)];
      case "required": {
        const known = new Set(narrow.flatMap(({ required = [] }) => required));
        const missing = (value as readonly string[]).filter((name) => !known.has(name));
        return missing.map((name) => gap([...path, name], "required", false, true));
      }
      case "properties":
        return Object.entries(value as object).flatMap(([name, part]) =>
          this.#compareProperty(narrow, name, part, path),
        );
      case "patternProperties":
        return Object.entries(value as object).flatMap(([pattern, part]) =>
          this.#comparePattern(narrow, pattern, part, path),
        );
      case "additionalProperties":
        return this.#compareOthers(narrow, wide, value as JsonSchema, path);
      case "propertyNames":
        return narrow.some(
          ({ propertyNames: own }) => own !== undefined && this.#compare([own], value as JsonSchema, path).length === 0,
        )
          ? NO_GAPS
          : [gap(path, keyword, undefined, value)];
      case "prefixItems":
      case "items":
        return this.#compareItems(narrow, wide, keyword, path);
      case "anyOf":
        return this.#compareUnion(narrow, types, value as readonly JsonSchema[], path);
      case "oneOf": {
        const branches = value as readonly JsonSchema[];
        if (areDisjoint(this.#wide, branches)) return this.#compareUnion(narrow, types, branches, path);
        return [gap(path, keyword, summaryOf(narrow), value)];
      }
      default: {
        const own = narrow.map((each) => keywordOf(each, keyword)).find((each) => each !== undefined);
        return isWithin(narrow, keyword, value) === true ? NO_GAPS : [gap(path, keyword, own, value)];
      }
    }
  }

  #compareProperty(narrow: Conjunction, name: string, wide: JsonSchema, path: readonly string[]): readonly Gap[] {
    const { parts, isDeclared } = partsFor(narrow, name);
    const inner = [...path, name];
    const gaps = this.#compare(parts, wide, inner);
    if (isDeclared || gaps.length === 0) return gaps;
    return [{ path: inner, keyword: "properties", from: undefined, to: wide, isUndeclared: true }];
  }

  #comparePattern(narrow: Conjunction, pattern: string, wide: JsonSchema, path: readonly string[]): readonly Gap[] {
    const names = declaredNames(narrow).filter((name) => matches(pattern, name));
    const gaps = names.flatMap((name) => this.#compareProperty(narrow, name, wide, path));
    return [...gaps, ...this.#compareUnnamed(narrow, wide, path)];
  }

  /** Compares the properties that a schema does not name. */
  #compareOthers(
    narrow: Conjunction,
    { properties = {}, patternProperties = {} }: JsonSchemaObject,
    wide: JsonSchema,
    path: readonly string[],
  ): readonly Gap[] {
    const patterns = Object.keys(patternProperties);
    const isNamed = (name: string) =>
      Object.hasOwn(properties, name) || patterns.some((pattern) => matches(pattern, name));
    const gone = declaredNames(narrow).filter((name) => !isNamed(name));
    const gaps = gone.flatMap((name) => {
      const found = this.#compareProperty(narrow, name, wide, path);
      return found.length > 0 && wide === false ? [gap([...path, name], "gone", true, false)] : found;
    });
    return [...gaps, ...this.#compareUnnamed(narrow, wide, path, patterns)];
  }

  /** Compares the values under names that no schema declares, except those of some patterns. */
  #compareUnnamed(
    narrow: Conjunction,
    wide: JsonSchema,
    path: readonly string[],
    except: readonly string[] = [],
  ): readonly Gap[] {
    const own = narrow.flatMap(({ patternProperties = {} }) => Object.entries(patternProperties));
    const gaps = own
      .filter(([pattern]) => !except.includes(pattern))
      .flatMap(([, part]) => this.#compare([part], wide, [...path, "*"]));
    const others = narrow.flatMap(({ additionalProperties: part }) => (part === undefined ? [] : [part]));
    const found = this.#compare(others, wide, [...path, "*"]);
    if (found.length === 0) return gaps;
    const isOpen = others.every((part) => part === true);
    return [...gaps, ...(isOpen ? [gap(path, "additionalProperties", true, wide)] : found)];
  }

  #compareItems(
    narrow: Conjunction,
    wide: JsonSchemaObject,
    keyword: "items" | "prefixItems",
    path: readonly string[],
  ): readonly Gap[] {
    const { prefixItems = [], items = true } = wide;
    const inner = [...path, "[]"];
    if (keyword === "prefixItems")
      return prefixItems.flatMap((part, index) => this.#compare(itemsAt(narrow, index), part, inner));
    const longest = Math.max(prefixItems.length, ...narrow.map((each) => each.prefixItems?.length ?? 0));
    const indexes = Array.from({ length: longest + 1 - prefixItems.length }, (_, index) => index + prefixItems.length);
    return distinct(
      indexes
        .filter((index) => isWithin(narrow, "maxItems", index) !== true)
        .flatMap((index) => this.#compare(itemsAt(narrow, index), items, inner)),
    );
  }

  /** Finds an alternative for each type of the values. */
  #compareUnion(
    narrow: Conjunction,
    types: readonly ValueType[],
    branches: readonly JsonSchema[],
    path: readonly string[],
  ): readonly Gap[] {
    const pieces = types.length === 1 ? [narrow] : types.map((type) => [...narrow, this.#typed(type)]);
    return pieces.flatMap((piece) => {
      let best: readonly Gap[] | undefined;
      for (const branch of branches) {
        const gaps = this.#compare(piece, branch, path);
        if (gaps.length === 0) return NO_GAPS;
        if (best === undefined || weigh(gaps, path) < weigh(best, path)) best = gaps;
      }
      return best ?? [gap(path, "anyOf", summaryOf(piece), branches)];
    });
  }

  readonly #types = new Map<ValueType, JsonSchemaObject>();

  #typed(type: ValueType): JsonSchemaObject {
    const schema = this.#types.get(type) ?? { type };
    this.#types.set(type, schema);
    return schema;
  }

  #isSame(narrow: JsonSchema, wide: JsonSchema): boolean {
    const text = textOf(wide);
    return textOf(narrow) === text && (this.#sharesDefinitions || !text.includes('"$ref"'));
  }

  #idOf(schema: JsonSchema): number | string {
    if (typeof schema === "boolean") return String(schema);
    const id = this.#ids.get(schema) ?? this.#nextId++;
    this.#ids.set(schema, id);
    return id;
  }
}

/** What some schemas say about types and values, for messages. */
function summaryOf(schemas: Conjunction): unknown {
  return valuesOf(schemas) ?? typesOf(schemas);
}
