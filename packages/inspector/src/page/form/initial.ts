import type { Json } from "../../protocol/json.ts";
import type { Field } from "./field.ts";

/** The value of a field when a person adds it: as empty as possible, with the constants that it must have. */
export function initialOf(field: Field): Json {
  switch (field.kind) {
    case "text":
      return "";
    case "number":
      return clamp(field);
    case "boolean":
      return false;
    case "choice":
      return field.choices[0]?.value ?? null;
    case "array":
      return [];
    case "object": {
      const constants = field.properties.flatMap(({ name, required, field: later }): [string, Json][] => {
        if (!required) return [];
        const child = later();
        const isConstant = child.kind === "choice" && child.choices.length === 1 && !child.nullable;
        return isConstant ? [[name, initialOf(child)]] : [];
      });
      return Object.fromEntries(constants);
    }
    case "union": {
      const [first] = field.branches;
      return first === undefined ? null : initialOf(first.field());
    }
    default:
      return null;
  }
}

/** The number nearest to zero that the limits allow. */
export function clamp(field: Extract<Field, { kind: "number" }>): number {
  const { minimum = -Infinity, maximum = Infinity, exclusiveMinimum = -Infinity, exclusiveMaximum = Infinity } = field;
  const step = field.multipleOf ?? (field.integer ? 1 : 0.5);
  const isAbove = (number: number) => number >= minimum && number > exclusiveMinimum;
  const isBelow = (number: number) => number <= maximum && number < exclusiveMaximum;
  const [least, most] = [Math.max(minimum, exclusiveMinimum), Math.min(maximum, exclusiveMaximum)];
  const up = Math.ceil(Math.max(least, 0) / step) * step;
  const down = Math.floor(Math.min(most, 0) / step) * step;
  if (!isAbove(0)) return isAbove(up) ? up : up + step;
  return isBelow(down) ? down : down - step;
}
