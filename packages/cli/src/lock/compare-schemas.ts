import type { JsonSchema, JsonSchemaObject } from "proffer";
import { type Found, shown } from "./change.ts";
import { findGaps, type Gap } from "./schema-rules.ts";
import { memberOf, SchemaVersion, textOf } from "./schema-version.ts";

/** An input must accept the values that it accepted; an output may have only values that it had. */
export type Side = "input" | "output";

/** Compares two versions of the schema of a tool's input or output. */
export function compareSchemas(before: JsonSchemaObject, after: JsonSchemaObject, side: Side): Found[] {
  const name = (path: readonly string[]) => nameOf(path, side);
  try {
    if (textOf(before) === textOf(after)) return [];
    const [narrow, wide] = side === "input" ? [before, after] : [after, before];
    const gaps = findGaps(narrow, wide);
    const explained = distinct([
      ...gaps.map((gap) => explainGap(gap, side, name)),
      ...compareNames(before, after, side),
    ]);
    if (explained.length > 0) return explained;
    const isReworded = findGaps(wide, narrow).length === 0;
    const effect = side === "input" ? "accepts more" : "is described more narrowly";
    return [{ level: "changed", message: `${name([])} ${isReworded ? "is described in other words" : effect}.` }];
  } catch (error) {
    return [tooComplex(error, name([]))];
  }
}

/** Compares two versions of the schema of an argument that a message calls by its name. */
export function compareArgument(before: JsonSchemaObject, after: JsonSchemaObject, name: string): Found[] {
  try {
    return distinct(findGaps(before, after).map((gap) => explainGap(gap, "input", () => name)));
  } catch (error) {
    return [tooComplex(error, name)];
  }
}

function tooComplex(error: unknown, name: string): Found {
  // The schema has too many alternatives, or is nested so deeply that the stack ends.
  if (!(error instanceof RangeError)) throw error;
  const remedy = "Compare it by hand, and run proffer lock to accept it.";
  return { level: "break", message: `${name} is too complex to compare.`, remedy };
}

function distinct(found: readonly Found[]): Found[] {
  const known = new Map<string, Found>();
  for (const each of found) if (!known.has(each.message)) known.set(each.message, each);
  return [...known.values()];
}

const NEW_NAME = "or offer the change under a new name.";

/** The remedies by side: an input must accept what it accepted, an output may return only what it returned. */
const REMEDY = {
  input: `Accept the earlier values too, ${NEW_NAME}`,
  output: `Return only values of the earlier schema, ${NEW_NAME}`,
} as const;

/** Keywords in words, as a part of "… of x became stricter". */
const LIMITS = new Set([
  "minimum",
  "maximum",
  "exclusiveMinimum",
  "exclusiveMaximum",
  "multipleOf",
  "minLength",
  "maxLength",
  "pattern",
  "format",
  "minItems",
  "maxItems",
  "uniqueItems",
  "minProperties",
  "maxProperties",
]);

/** Explains why a schema is not compatible with its earlier version. */
function explainGap(gap: Gap, side: Side, name: (path: readonly string[]) => string): Found {
  const { path, keyword, from, to, isUndeclared } = gap;
  const what = name(path);
  // An input must grow, so the earlier schema is the narrow one; for an output it is the wide one.
  const [before, after] = side === "input" ? [from, to] : [to, from];
  const values = { before: shown(before), after: shown(after) };
  const broken = (message: string, remedy: string = REMEDY[side]): Found => ({
    level: "break",
    message,
    ...values,
    remedy,
  });
  if (isUndeclared && side === "input")
    return {
      level: "caution",
      message: `${what} is new. Callers that already sent another value under this name are refused.`,
    };
  if (isUndeclared) return { ...broken(`${what} is gone.`, "Keep returning it."), after: "none" };
  if (keyword === "required")
    return side === "input"
      ? { ...broken(`${what} became required.`, "Make it optional, or give it a default."), ...WORDS.required }
      : { ...broken(`${what} may be missing.`, "Return it always."), ...WORDS.optional };
  if (keyword === "gone" && side === "input")
    return { ...broken(`${what} is gone.`, "Keep the parameter, and ignore it."), ...WORDS.gone };
  if (keyword === "gone") return { level: "new", message: `${what} is new.` };
  if (keyword === "additionalProperties" && side === "input")
    return broken(`${what} no longer accepts properties that it does not name.`);
  if (keyword === "type" || keyword === "enum" || keyword === "anyOf" || keyword === "oneOf" || keyword === "false")
    return broken(side === "input" ? `${what} accepts less.` : `${what} may have other values.`);
  if (LIMITS.has(keyword)) return broken(`${what} has a ${side === "input" ? "stricter" : "looser"} ${keyword}.`);
  return broken(`${what} ${side === "input" ? "may refuse" : "may allow"} more by ${keyword}.`);
}

const WORDS = {
  required: { before: "optional", after: "required" },
  optional: { before: "required", after: "optional" },
  gone: { before: "accepted", after: "refused" },
} as const;

/** Names a place in the arguments or in the result, such as `parameter options.limit`. */
function nameOf(path: readonly string[], side: Side): string {
  if (path.length === 0) return side === "input" ? "The input" : "The result";
  const steps = path.map((step, index) => (step === "[]" || index === 0 ? step : `.${step}`)).join("");
  return `${side === "input" ? "Parameter" : "Property"} ${steps}`;
}

const MAX_DEPTH = 20;

/**
 * Finds properties that were added or removed where every value stays valid: an optional parameter, a property of a
 * result, or one that the schema does not have to name.
 */
function compareNames(before: JsonSchemaObject, after: JsonSchemaObject, side: Side): Found[] {
  const [old, now] = [new SchemaVersion(before), new SchemaVersion(after)];
  const seen = new Set<string>();
  return walk(old.root, now.root, []);

  function walk(one: JsonSchema, other: JsonSchema, path: readonly string[]): Found[] {
    const [a, b] = [old.follow(one), now.follow(other)];
    if (typeof a === "boolean" || typeof b === "boolean" || path.length > MAX_DEPTH) return [];
    const key = `${textOf(a)} ${textOf(b)}`;
    if (seen.has(key)) return [];
    seen.add(key);
    const names = Object.keys({ ...a.properties, ...b.properties });
    return [
      ...names.flatMap((name) => {
        const [x, y] = [memberOf(a.properties, name), memberOf(b.properties, name)];
        const at = [...path, name];
        if (x !== undefined && y !== undefined) return walk(x, y, at);
        return x === undefined ? added(a, b, at) : gone(b, x, at);
      }),
      ...(a.items === undefined || b.items === undefined ? [] : walk(a.items, b.items, [...path, "[]"])),
    ];
  }

  function added(a: JsonSchemaObject, { required = [] }: JsonSchemaObject, path: readonly string[]): Found[] {
    const found: Found = { level: "new", message: `${nameOf(path, side)} is new.` };
    if (side === "output") return [found];
    // The comparison of the schemas reports the others.
    return a.additionalProperties === false && !required.includes(path.at(-1) ?? "") ? [found] : [];
  }

  function gone({ additionalProperties }: JsonSchemaObject, schema: JsonSchema, path: readonly string[]): Found[] {
    const message = `${nameOf(path, side)} is gone`;
    if (side === "input") {
      const isRefused = additionalProperties === false;
      return isRefused ? [] : [{ level: "caution", message: `${message}, and ignored if it is sent.` }];
    }
    const type = typeof schema === "object" ? (schema.type ?? schema) : schema;
    return [
      { level: "break", message: `${message}.`, before: shown(type), after: "none", remedy: "Keep returning it." },
    ];
  }
}
