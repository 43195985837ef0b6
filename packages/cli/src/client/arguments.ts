import { readFileSync } from "node:fs";
import { WrongUsage } from "../terminal/command-error.ts";

const STDIN = 0;

/** Reads `name=value` pairs. @throws {WrongUsage} for anything else. */
export function parsePairs(pairs: readonly string[], flag: string): [name: string, value: string][] {
  return pairs.map((pair) => {
    const at = pair.indexOf("=");
    if (at > 0) return [pair.slice(0, at), pair.slice(at + 1)];
    throw new WrongUsage(`${flag} ${JSON.stringify(pair)} is not of the form name=value.`);
  });
}

/** Gives each argument the type that the tool wants: text stays text, anything else is read as JSON. */
export function toValues(pairs: readonly [string, string][], schema: { readonly properties?: unknown }): object {
  const properties = (schema.properties ?? {}) as { readonly [name: string]: unknown };
  const typed = pairs.map(([name, value]): [string, unknown] => [
    name,
    toValue(value, Object.hasOwn(properties, name) ? properties[name] : undefined),
  ]);
  return Object.fromEntries(typed);
}

function toValue(text: string, schema: unknown): unknown {
  if (takesText(schema)) return text;
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

function takesText(schema: unknown): boolean {
  const { type, enum: values } = (schema ?? {}) as { type?: unknown; enum?: unknown };
  if (Array.isArray(values)) return values.every((value) => typeof value === "string");
  return type === "string";
}

/** The arguments of `--input`. @throws {WrongUsage} if they are not a JSON object. */
export function parseInput(input: string | undefined): object {
  if (input === undefined) return {};
  const text = input === "-" ? readFileSync(STDIN, "utf8") : input;
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value === "object" && value !== null && !Array.isArray(value)) return value;
  } catch (error) {
    throw new WrongUsage(`--input is not JSON: ${(error as Error).message}`);
  }
  throw new WrongUsage("--input must be a JSON object: the arguments by their names.");
}
