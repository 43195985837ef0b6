import type { JsonSchema, JsonSchemaObject } from "proffer";
import { type Change, type ChangeLevel, type Found, KINDS, shown } from "./change.ts";
import {
  LOCKED_LISTS,
  type Lock,
  type LockedArgument,
  type LockedItem,
  type LockedList,
  type LockedTask,
} from "./lock-file.ts";
import { findGaps, type Gap } from "./schema-rules.ts";
import { memberOf, SchemaVersion, textOf } from "./schema-version.ts";

/** Returns the changes of a module for its callers since its lock was written, breaks first. */
export function compareLocks(before: Lock, after: Lock): Change[] {
  const changes = LOCKED_LISTS.flatMap((list) => compareList(list, before[list], after[list]));
  const levels: readonly ChangeLevel[] = ["break", "caution", "new", "changed"];
  return levels.flatMap((level) => changes.filter((change) => change.level === level));
}

type Items = { readonly [key: string]: LockedItem };

function compareList(list: LockedList, before: Items, after: Items): Change[] {
  const kind = KINDS[list];
  const known = new Set(Object.entries(before).flatMap(([key, { was = [] }]) => [key, ...was]));
  const isNew = ([key, { was = [] }]: [string, LockedItem]) => ![key, ...was].some((name) => known.has(name));
  const added = Object.entries(after).filter(isNew);
  return [
    ...Object.entries(before).flatMap(([key, item]): Change[] => {
      const now = findByName(after, key);
      if (now === undefined)
        return [{ level: "break", list, key, message: `The ${kind} is gone.`, remedy: remedyFor(list) }];
      const renamed: Found = { level: "changed", message: `The ${kind} was renamed.`, before: key, after: now };
      const found = [
        ...(now === key ? [] : [renamed]),
        ...lostAliases(after, item),
        ...compareItems(list, item, after[now] ?? {}),
      ];
      return found.map((change) => ({ list, key: now, ...change }));
    }),
    ...added.map(([key]): Change => ({ level: "new", list, key, message: `The ${kind} is new.` })),
  ];
}

/** Returns the present name of an item by any of its names. */
function findByName(items: Items, name: string): string | undefined {
  if (Object.hasOwn(items, name)) return name;
  return Object.keys(items).find((key) => items[key]?.was?.includes(name));
}

/** Finds the earlier names that clients could use and cannot use any more. */
function lostAliases(after: Items, { was = [] }: LockedItem): Found[] {
  const lost = was.filter((name) => findByName(after, name) === undefined);
  return lost.map((name) => ({
    level: "break",
    message: `The earlier name ${name} is gone.`,
    remedy: `Keep @was ${name}.`,
  }));
}

function remedyFor(list: LockedList): string {
  return list === "tools" || list === "prompts"
    ? "Keep it, or add its name to the function that replaces it, as @was."
    : "Keep a function for the earlier URI; it can call the new one.";
}

/** Compares two versions of an item. */
function compareItems(list: LockedList, before: LockedItem, after: LockedItem): Found[] {
  return [
    ...compareTexts(before, after),
    ...compareTasks(before.task, after.task),
    ...compareSchemas(before.inputSchema ?? {}, after.inputSchema ?? {}, "input"),
    ...compareOutputs(before.outputSchema, after.outputSchema),
    ...compareArguments(list === "prompts" ? "Argument" : "Variable", before.arguments ?? {}, after.arguments ?? {}),
  ];
}

/** The members that only describe an item. */
const DESCRIBING = ["title", "description", "mimeType", "annotations"] as const;

function compareTexts(before: LockedItem, after: LockedItem): Found[] {
  return DESCRIBING.filter((member) => textOf(before[member]) !== textOf(after[member])).map((member) => {
    const message = `The ${member === "mimeType" ? "media type" : member} changed.`;
    return { level: "changed", message, before: shown(before[member]), after: shown(after[member]) };
  });
}

function compareOutputs(before: JsonSchemaObject | undefined, after: JsonSchemaObject | undefined): Found[] {
  if (before === undefined) return after === undefined ? [] : [{ level: "new", message: "The output schema is new." }];
  if (after !== undefined) return compareSchemas(before, after, "output");
  const remedy = "Declare the type of the result, or keep the option output.";
  return [{ level: "break", message: "The output schema is gone, and structured content with it.", remedy }];
}

type Arguments = { readonly [name: string]: LockedArgument };

function compareArguments(noun: "Argument" | "Variable", before: Arguments, after: Arguments): Found[] {
  const names = new Set([...Object.keys(before), ...Object.keys(after)]);
  return [...names].flatMap((name): Found[] => {
    const old = Object.hasOwn(before, name) ? before[name] : undefined;
    const now = Object.hasOwn(after, name) ? after[name] : undefined;
    const subject = `${noun} ${name}`;
    if (now === undefined) return [{ level: "caution", message: `${subject} is gone, and ignored if it is sent.` }];
    const values = { before: old === undefined ? "none" : "optional", after: "required" };
    const required: Found = {
      level: "break",
      message: `${subject} ${old === undefined ? "is new and" : "became"} required.`,
      ...values,
      remedy: MAKE_OPTIONAL,
    };
    if (old === undefined) return [now.required ? required : { level: "new", message: `${subject} is new.` }];
    return [
      ...(now.required && !old.required ? [required] : []),
      ...compareArgument(old.schema ?? { type: "string" }, now.schema ?? { type: "string" }, subject),
      ...(old.description === now.description
        ? []
        : [{ level: "changed", message: `${subject} has another description.` } as const]),
    ];
  });
}

/** Compares whether calls of a tool become tasks. */
function compareTasks(before: LockedTask | undefined, after: LockedTask | undefined): Found[] {
  const modeOf = (task?: LockedTask) => (task?.required ? "required" : task ? "optional" : "none");
  const values = { before: modeOf(before), after: modeOf(after) };
  if (after?.required === true && before?.required !== true) {
    const message = "Clients of 2026-07-28 that do not support tasks are refused.";
    const remedy = "Remove required from task, or from @task: such clients then get an ordinary call.";
    return [{ level: "break", message, ...values, remedy }];
  }
  if (after === undefined)
    return before === undefined ? [] : [{ level: "changed", message: "Calls no longer become tasks.", ...values }];
  if (before === undefined)
    return [{ level: "caution", message: "Calls of clients that support tasks become tasks.", ...values }];
  const found: Found[] = [];
  if (before.required && !after.required)
    found.push({ level: "changed", message: "Clients that do not support tasks are accepted.", ...values });
  if (before.ttl !== after.ttl) {
    const [level, time] = after.ttl < before.ttl ? (["caution", "shorter"] as const) : (["changed", "longer"] as const);
    const times = { before: `${shown(before.ttl)} ms`, after: `${shown(after.ttl)} ms` };
    found.push({ level, message: `Tasks are kept for a ${time} time.`, ...times });
  }
  return found;
}

/** An input must accept the values that it accepted; an output may have only values that it had. */
export type Side = "input" | "output";

/** Compares two versions of the schema of a tool's input or output. */
function compareSchemas(before: JsonSchemaObject, after: JsonSchemaObject, side: Side): Found[] {
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
function compareArgument(before: JsonSchemaObject, after: JsonSchemaObject, name: string): Found[] {
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

const MAKE_OPTIONAL = "Make it optional, or give it a default.";
const NEW_NAME = "or offer the change under a new name.";

/** The remedies by side: an input must accept the earlier values, an output may return no others. */
const REMEDY = {
  input: `Accept the earlier values too, ${NEW_NAME}`,
  output: `Return only values of the earlier schema, ${NEW_NAME}`,
} as const;

/** The keywords that a message calls stricter or looser. */
const LIMITS = new Set(
  "minimum maximum exclusiveMinimum exclusiveMaximum multipleOf minLength maxLength pattern format minItems maxItems"
    .split(" ")
    .concat("uniqueItems", "minProperties", "maxProperties"),
);

/** Explains why a schema is not compatible with its earlier version. */
function explainGap(gap: Gap, side: Side, name: (path: readonly string[]) => string): Found {
  const { path, keyword, from, to, isUndeclared } = gap;
  const subject = name(path);
  // An input must grow, so the earlier schema is the narrow one; for an output it is the wide one.
  const [before, after] = side === "input" ? [from, to] : [to, from];
  const values = { before: shown(before), after: shown(after) };
  const broken = (message: string, remedy: string = REMEDY[side], words = values): Found => {
    return { level: "break", message, ...words, remedy };
  };
  const isInput = side === "input";
  if (isUndeclared && isInput) {
    const message = `${subject} is new. Callers that already sent another value under this name are refused.`;
    return { level: "caution", message };
  }
  if (isUndeclared) return broken(`${subject} is gone.`, "Keep returning it.", { ...values, after: "none" });
  if (keyword === "required") {
    const optional = from === undefined ? "none" : "optional";
    const words = { before: isInput ? optional : "required", after: isInput ? "required" : "optional" };
    return isInput
      ? broken(`${subject} ${from === undefined ? "is new and" : "became"} required.`, MAKE_OPTIONAL, words)
      : broken(`${subject} may be missing.`, "Return it always.", words);
  }
  if (keyword === "gone" && isInput)
    return broken(`${subject} is gone.`, "Keep the parameter, and ignore it.", {
      before: "accepted",
      after: "refused",
    });
  if (keyword === "gone") return { level: "new", message: `${subject} is new.` };
  if (keyword === "additionalProperties" && isInput)
    return broken(`${subject} no longer accepts properties that it does not name.`);
  if (["type", "enum", "anyOf", "oneOf", "false"].includes(keyword))
    return broken(isInput ? `${subject} accepts less.` : `${subject} may have other values.`);
  if (LIMITS.has(keyword)) return broken(`${subject} has a ${isInput ? "stricter" : "looser"} ${keyword}.`);
  return broken(`${subject} ${isInput ? "may refuse" : "may allow"} more by ${keyword}.`);
}

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
