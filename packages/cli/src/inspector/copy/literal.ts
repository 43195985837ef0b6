import type { Json } from "../protocol/json.ts";

/** Longer values are written on several lines. */
const WIDTH = 80;

/** Writes a value of JSON as TypeScript. */
export function toLiteral(value: Json, indent = ""): string {
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  const inner = `${indent}  `;
  const parts = Array.isArray(value)
    ? value.map((each) => toLiteral(each, inner))
    : Object.entries(value).map(([key, each]) => `${toKey(key)}: ${toLiteral(each, inner)}`);
  const [open, close, pad] = Array.isArray(value) ? ["[", "]", ""] : ["{", "}", " "];
  if (parts.length === 0) return open + close;
  const line = `${open}${pad}${parts.join(", ")}${pad}${close}`;
  if (line.length + indent.length <= WIDTH && !line.includes("\n")) return line;
  return `${open}\n${parts.map((part) => `${inner}${part},\n`).join("")}${indent}${close}`;
}

function toKey(key: string): string {
  // In a literal, this name alone would set the prototype.
  if (key === "__proto__") return '["__proto__"]';
  return /^[A-Za-z_$][\w$]*$/.test(key) ? key : JSON.stringify(key);
}
