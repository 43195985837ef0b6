import { MARK } from "./text.ts";

/** Writes the type of exactly one value, so that TypeScript can compare it with another type. */
export function valueText(value: unknown): string {
  switch (typeof value) {
    case "bigint":
      return `${value}n`;
    case "number":
      // The compiler reads 1e+21 only without the sign.
      return String(value).replace("e+", "e");
    case "object":
      return value === null ? "null" : objectText(value);
    case "undefined":
      return "undefined";
    default:
      return JSON.stringify(value);
  }
}

function objectText(value: object): string {
  if (Array.isArray(value)) return `[${value.map(valueText).join(", ")}]`;
  if (value instanceof Set) return `Set<${unionText([...value])}>`;
  if (value instanceof Map) return `Map<${unionText([...value.keys()])}, ${unionText([...value.values()])}>`;
  for (const type of [Date, URL, Uint8Array]) if (value instanceof type) return type.name;
  const members = Object.entries(value).map(([name, child]) => `${JSON.stringify(name)}: ${valueText(child)}`);
  return `{ ${[MARK, ...members].join("; ")} }`;
}

function unionText(values: unknown[]): string {
  return values.length === 0 ? "never" : values.map((value) => `(${valueText(value)})`).join(" | ");
}
