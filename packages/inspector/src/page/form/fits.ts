import type { Json } from "../../protocol/json.ts";
import type { Field } from "./field.ts";
import { isObject } from "./path.ts";
import { isEqual } from "./read-schema.ts";
import { LONG_CHOICE, parseNumber } from "./value-text.ts";

/**
 * Whether the control of a field can show a value and give it back unchanged; members are judged by their own fields. All
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
