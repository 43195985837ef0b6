import { text as readText } from "node:stream/consumers";
import { WrongUsage } from "../terminal/command-error.ts";
import { currentShell } from "../terminal/shell.ts";

/** Parses `name=value` pairs. @throws {WrongUsage} for another form. */
export function parsePairs(pairs: readonly string[], flag: string): [name: string, value: string][] {
  return pairs.map((pair) => {
    const at = pair.indexOf("=");
    if (at > 0) return [pair.slice(0, at), pair.slice(at + 1)];
    throw new WrongUsage(`Invalid value of ${flag}: ${JSON.stringify(pair)}. Write name=value.`);
  });
}

/** Converts each value to the type in the tool's schema: strings stay as they are, other values are parsed as JSON. */
export function toValues(pairs: readonly [string, string][], schema: { readonly properties?: unknown }): object {
  const properties = (schema.properties ?? {}) as { readonly [name: string]: unknown };
  const typed = pairs.map(([name, value]): [string, unknown] => [
    name,
    toValue(value, Object.hasOwn(properties, name) ? properties[name] : undefined),
  ]);
  return Object.fromEntries(typed);
}

function toValue(text: string, schema: unknown): unknown {
  if (acceptsText(schema)) return text;
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

function acceptsText(schema: unknown): boolean {
  const { type, enum: values } = (schema ?? {}) as { type?: unknown; enum?: unknown };
  if (Array.isArray(values)) return values.every((value) => typeof value === "string");
  return type === "string";
}

/** Parses the arguments in `--input`. @throws {WrongUsage} if they are not a JSON object. */
export async function parseInput(input: string | undefined): Promise<object> {
  if (input === undefined) return {};
  const text = input === "-" ? await readText(currentShell().stdin) : input;
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value === "object" && value !== null && !Array.isArray(value)) return value;
  } catch (error) {
    throw new WrongUsage(`--input is not valid JSON: ${(error as Error).message}`);
  }
  throw new WrongUsage("--input must be a JSON object with the arguments by name.");
}
