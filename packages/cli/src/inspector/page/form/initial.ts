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
  const step = field.multipleOf ?? (field.integer ? 1 : 0.5);
  const least = Math.max(
    field.minimum ?? -Infinity,
    field.exclusiveMinimum === undefined ? -Infinity : above(field.exclusiveMinimum, step),
  );
  const most = Math.min(
    field.maximum ?? Infinity,
    field.exclusiveMaximum === undefined ? Infinity : -above(-field.exclusiveMaximum, step),
  );
  if (least > 0) return Number.isFinite(least) ? Math.ceil(least / step) * step : 0;
  if (most < 0) return Number.isFinite(most) ? Math.floor(most / step) * step : 0;
  return 0;
}

function above(bound: number, step: number): number {
  return (Math.floor(bound / step) + 1) * step;
}
