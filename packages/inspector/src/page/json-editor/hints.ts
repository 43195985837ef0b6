import type { Json } from "../../protocol/json.ts";
import { branchOf } from "../form/branch.ts";
import type { Field } from "../form/field.ts";
import { isObject, memberOf, type Path, valueAt } from "../form/path.ts";

export interface EditorHint {
  /** The JSON to insert. */
  readonly text: string;
  readonly label: string;
}

const MAX_HINTS = 30;

/** What the schema allows at the caret: names that are not there yet, or constants. */
export function hintsAt(root: Field, value: Json | undefined, path: Path, inName: boolean): EditorHint[] {
  const field = fieldAt(root, value, inName ? path.slice(0, -1) : path);
  if (field === undefined) return [];
  if (inName && field.kind === "object") {
    const object = valueAt(value, path.slice(0, -1));
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
