import type { Json } from "../../protocol/data.ts";
import { isEqual, isObject, memberOf, type Path, valueAt } from "../text/json.ts";
import type { Field, UnionShape } from "./field.ts";

/**
 * Whether the control of a field can show a value and return it unchanged; members are judged by their own fields. All
 * other values get a JSON box.
 */
export function fits(field: Field, value: Json | undefined): boolean {
  if (value === undefined) return true;
  if (value === null) return field.nullable || field.kind === "null" || field.kind === "json";
  switch (field.kind) {
    case "text":
      // Browsers turn carriage returns into line feeds.
      return typeof value === "string" && !value.includes("\r");
    case "number":
      // "12" in quotes would come back as a number.
      return typeof value === "string" ? isLine(value) && parseNumber(value) === undefined : typeof value === "number";
    case "boolean":
      return typeof value === "boolean";
    case "choice": {
      const isChoice = field.choices.some((choice) => isEqual(choice.value, value));
      if (isChoice || field.choices.length <= LONG_CHOICE) return isChoice;
      return typeof value === "string" && isLine(value) && !field.choices.some(({ label }) => label === value);
    }
    case "array":
      return Array.isArray(value);
    case "object":
      return isObject(value);
    case "union":
      return field.branches.some((branch) => fits(branch.field(), value));
    default:
      return field.kind === "json";
  }
}

function isLine(text: string): boolean {
  return !/[\r\n]/.test(text);
}

/** More choices than this are found by typing. */
export const LONG_CHOICE = 100;

const NUMBER = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/;

/** Reads a number as JSON has it. */
function parseNumber(text: string): number | undefined {
  const number = NUMBER.test(text) ? Number(text) : Number.NaN;
  return Number.isFinite(number) ? number : undefined;
}

/** The text that a control shows for a value that fits it. */
export function textOf(field: Field, value: Json | undefined): string {
  if (value === undefined) return "";
  if (field.kind !== "choice") return typeof value === "string" ? value : JSON.stringify(value);
  const { choices } = field;
  const index = choices.findIndex((choice) => isEqual(choice.value, value));
  return choices.length > LONG_CHOICE ? (choices[index]?.label ?? String(value)) : String(index);
}

/**
 * The value of a typed text. A text that is no number stays a text: a server must be tested with bad input, too, and the
 * check beside the field says that it is wrong.
 */
export function typedValue(field: Field, text: string): Json {
  if (field.kind === "number") return parseNumber(text) ?? text;
  if (field.kind === "boolean") return text === "true";
  if (field.kind !== "choice") return text;
  const { choices } = field;
  const choice = choices.length > LONG_CHOICE ? choices.find(({ label }) => label === text) : choices[Number(text)];
  return choice?.value ?? text;
}

/** The members of a value that its field has no place for. They are kept, and seen in the JSON. */
export function hiddenMembers(field: Field, value: Json | undefined): (string | number)[] {
  if (field.kind === "object" && isObject(value) && field.extra === undefined) {
    const known = new Set(field.properties.map(({ name }) => name));
    return Object.keys(value).filter((name) => !known.has(name));
  }
  if (field.kind === "array" && Array.isArray(value) && field.items === undefined) {
    return value.slice(field.prefix.length).map((_item, index) => field.prefix.length + index);
  }
  return [];
}

/** The members of a value that its field shows, with their fields. */
export function childrenOf(field: Field, value: Json): [string | number, Field][] {
  if (field.kind === "object" && isObject(value)) {
    const known = field.properties.filter(({ name }) => memberOf(value, name) !== undefined);
    const names = new Set(known.map(({ name }) => name));
    const shown = known.map(({ name, field }): [string, Field] => [name, field()]);
    if (field.extra === undefined) return shown;
    const extra = field.extra();
    return [
      ...shown,
      ...Object.keys(value).flatMap((name): [string, Field][] => (names.has(name) ? [] : [[name, extra]])),
    ];
  }
  if (field.kind !== "array" || !Array.isArray(value)) return [];
  return value.flatMap((_item, index): [number, Field][] => {
    const item = field.prefix[index] ?? field.items;
    return item === undefined ? [] : [[index, item()]];
  });
}

/** Returns the alternative that a value most likely is; undefined if it is none, or if its tag is missing. */
export function branchOf(union: UnionShape, value: Json | undefined): number | undefined {
  const { branches, tag } = union;
  if (value === undefined) return undefined;
  if (tag !== undefined && isObject(value)) {
    const found = tag.values.findIndex((other) => isEqual(other, memberOf(value, tag.name)));
    return found === -1 ? undefined : found;
  }
  let best: number | undefined;
  let bestScore = MISFIT;
  for (const [index, branch] of branches.entries()) {
    const score = scoreOf(branch.field(), value, MAX_DEPTH);
    if (score > bestScore) [best, bestScore] = [index, score];
  }
  return best;
}

const MISFIT = -1_000_000;
const MAX_DEPTH = 3;
const MAX_CHILDREN = 100;

function scoreOf(field: Field, value: Json, depth: number): number {
  if (!fits(field, value)) return MISFIT;
  if (depth === 0) return 0;
  if (field.kind === "choice") return 5;
  if (field.kind === "union")
    return Math.max(...field.branches.map((branch) => scoreOf(branch.field(), value, depth - 1)));
  // A word in a number fits only so that it can be typed.
  if (field.kind === "json" || (field.kind === "number" && typeof value === "string")) return -100;
  let score = 1;
  const children = childrenOf(field, value).slice(0, MAX_CHILDREN);
  // A member that does not fit speaks against an alternative, but does not rule it out.
  for (const [step, child] of children)
    score += Math.max(scoreOf(child, memberOf(value, step) ?? null, depth - 1), -20);
  const known = new Set(children.map(([step]) => step));
  const missing =
    field.kind === "object" ? field.properties.filter(({ name, required }) => required && !known.has(name)) : [];
  return score - 2 * missing.length - 3 * hiddenMembers(field, value).length;
}

const MAX_VISITS = 20_000;

/** Counts the values that only the JSON shows. */
export function countHidden(field: Field, value: Json | undefined): number {
  let visits = 0;

  function count(field: Field, value: Json | undefined): number {
    if (value === undefined || value === null || ++visits > MAX_VISITS || !fits(field, value)) return 0;
    if (field.kind === "union") {
      const branch = field.branches[branchOf(field, value) ?? -1];
      return branch === undefined ? 0 : count(branch.field(), value);
    }
    let total = hiddenMembers(field, value).length;
    for (const [step, child] of childrenOf(field, value)) total += count(child, memberOf(value, step));
    return total;
  }

  return count(field, value);
}

const MAX_HINTS = 30;

/** A text of JSON to insert at the caret, and its label. */
interface EditorHint {
  readonly text: string;
  readonly label: string;
}

/** Returns hints for the caret: names that are not there yet, or constants. */
export function hintsAt(root: Field, value: Json | undefined, path: Path, inName: boolean): EditorHint[] {
  const around = inName ? path.slice(0, -1) : path;
  const field = fieldAt(root, value, around);
  if (field === undefined) return [];
  if (inName && field.kind === "object") {
    const object = valueAt(value, around);
    return field.properties
      .filter(({ name }) => !isObject(object) || memberOf(object, name) === undefined)
      .slice(0, MAX_HINTS)
      .map(({ name, required, field: later }) => ({
        text: `${JSON.stringify(name)}: `,
        label: `${name}${required ? " *" : ""} · ${later().hint}`,
      }));
  }
  if (inName) return [];
  const constants: readonly Json[] =
    field.kind === "choice"
      ? field.choices.map((choice) => choice.value)
      : field.kind === "boolean"
        ? [true, false]
        : field.examples;
  const all = field.nullable ? [...constants, null] : constants;
  return all
    .slice(0, MAX_HINTS)
    .map((constant) => ({ text: JSON.stringify(constant), label: JSON.stringify(constant) }));
}

/** The field at a path; alternatives are those of the value. */
function fieldAt(root: Field, value: Json | undefined, path: Path): Field | undefined {
  let field: Field | undefined = root;
  let here = value;
  for (const step of [...path, undefined]) {
    while (field?.kind === "union") field = field.branches[branchOf(field, here) ?? 0]?.field();
    if (step === undefined || field === undefined) break;
    field = memberField(field, step);
    here = memberOf(here, step);
  }
  return field;
}

function memberField(field: Field, step: string | number): Field | undefined {
  if (field.kind === "array" && typeof step === "number") return (field.prefix[step] ?? field.items)?.();
  if (field.kind !== "object") return undefined;
  return (field.properties.find(({ name }) => name === step)?.field ?? field.extra)?.();
}
