import type { JsonSchemaObject } from "proffer";
import { type Change, type ChangeLevel, type Found, kindOf, shown } from "./change.ts";
import { compareArgument, compareSchemas } from "./compare-schemas.ts";
import {
  LOCKED_LISTS,
  type Lock,
  type LockedArgument,
  type LockedItem,
  type LockedList,
  type LockedTask,
} from "./lock-file.ts";
import { textOf } from "./schema-version.ts";

/** Returns what a module changed for its callers since its lock was written, breaks first. */
export function compareLocks(before: Lock, after: Lock): Change[] {
  const changes = LOCKED_LISTS.flatMap((list) => compareList(list, before[list], after[list]));
  const levels: readonly ChangeLevel[] = ["break", "caution", "new", "changed"];
  return levels.flatMap((level) => changes.filter((change) => change.level === level));
}

type Items = { readonly [key: string]: LockedItem };

function compareList(list: LockedList, before: Items, after: Items): Change[] {
  const kind = kindOf(list);
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

function compareArguments(what: "Argument" | "Variable", before: Arguments, after: Arguments): Found[] {
  const names = new Set([...Object.keys(before), ...Object.keys(after)]);
  return [...names].flatMap((name): Found[] => {
    const old = Object.hasOwn(before, name) ? before[name] : undefined;
    const now = Object.hasOwn(after, name) ? after[name] : undefined;
    const subject = `${what} ${name}`;
    if (now === undefined) return [{ level: "caution", message: `${subject} is gone, and ignored if it is sent.` }];
    const remedy = "Make it optional, or give it a default.";
    const required: Found = {
      level: "break",
      message: `${subject} became required.`,
      before: old === undefined ? "none" : "optional",
      after: "required",
      remedy,
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
  const values = { before: taskName(before), after: taskName(after) };
  if (after?.required === true && before?.required !== true) {
    return [
      {
        level: "break",
        message: "Clients of 2026-07-28 that do not support tasks are refused.",
        ...values,
        remedy: "Remove required from task, or from @task: such clients then get an ordinary call.",
      },
    ];
  }
  if (after === undefined)
    return before === undefined ? [] : [{ level: "changed", message: "Calls no longer become tasks.", ...values }];
  if (before === undefined)
    return [{ level: "caution", message: "Calls of clients that support tasks become tasks.", ...values }];
  const found: Found[] = [];
  if (before.required && !after.required)
    found.push({ level: "changed", message: "Clients that do not support tasks are accepted.", ...values });
  if (before.ttl !== after.ttl)
    found.push({
      level: after.ttl < before.ttl ? "caution" : "changed",
      message: `Tasks are kept for a ${after.ttl < before.ttl ? "shorter" : "longer"} time.`,
      before: `${shown(before.ttl)} ms`,
      after: `${shown(after.ttl)} ms`,
    });
  return found;
}

function taskName(task: LockedTask | undefined): string {
  if (task === undefined) return "none";
  return task.required ? "required" : "optional";
}
