import type { Shape } from "./field.ts";

/** Names the type of a value and its constraints in few words. */
export function hintOf(shape: Shape): string {
  switch (shape.kind) {
    case "text":
      return join(shape.format ?? "text", range(shape.minLength, shape.maxLength, "characters"), shape.pattern);
    case "number":
      return join(
        shape.integer ? "integer" : "number",
        range(shape.minimum, shape.maximum),
        shape.exclusiveMinimum !== undefined && `above ${shape.exclusiveMinimum}`,
        shape.exclusiveMaximum !== undefined && `below ${shape.exclusiveMaximum}`,
        shape.multipleOf !== undefined && `multiple of ${shape.multipleOf}`,
      );
    case "array": {
      const least = shape.minItems > 0 ? shape.minItems : undefined;
      return join(
        shape.prefix.length > 0 ? "tuple" : "array",
        range(least, shape.maxItems, "items"),
        shape.unique && "no duplicates",
      );
    }
    case "choice":
      return shape.choices.length === 1 ? "constant" : `one of ${shape.choices.length}`;
    case "object":
      return shape.properties.length === 0 && shape.extra !== undefined ? "record" : "object";
    case "union":
      return `one of ${shape.branches.length} kinds`;
    case "json":
      return join("JSON", shape.reason);
    default:
      return shape.kind;
  }
}

function join(...words: (string | false | undefined)[]): string {
  return words.filter((word) => word !== false && word !== undefined).join(" · ");
}

function range(least: number | undefined, most: number | undefined, unit = ""): string | undefined {
  const units = unit === "" ? "" : ` ${unit}`;
  if (least !== undefined && most !== undefined)
    return least === most ? `${least}${units}` : `${least} to ${most}${units}`;
  if (least !== undefined) return `at least ${least}${units}`;
  return most === undefined ? undefined : `at most ${most}${units}`;
}
