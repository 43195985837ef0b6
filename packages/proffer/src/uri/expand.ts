import { EXPANSIONS, type Expansion, type Part, quote, TemplateError, type Variable } from "./parse.ts";
import { encodeReserved, encodeUnreserved } from "./uri-text.ts";

export type Scalar = string | number | bigint | boolean;

/** A value for a variable. `undefined`, `null`, an empty list and an empty map omit the variable. */
export type Expandable =
  | Scalar
  | null
  | undefined
  | readonly (Scalar | null | undefined)[]
  | { readonly [key: string]: Scalar | null | undefined };

/** Expands the parts of a template: RFC 6570, section 3. @throws {TemplateError} for a value that has no expansion. */
export function expandParts(text: string, parts: readonly Part[], values: Readonly<Record<string, unknown>>): string {
  let uri = "";
  for (const part of parts) {
    if (typeof part === "string") {
      uri += part;
      continue;
    }
    const expansion = EXPANSIONS[part.operator];
    let lead = expansion.first;
    for (const variable of part.variables) {
      const value = Object.hasOwn(values, variable.name) ? values[variable.name] : undefined;
      let expanded: string | undefined;
      try {
        expanded = expandVariable(variable, expansion, value);
      } catch (cause) {
        throw new TemplateError(text, part.position, problemOf(cause, variable.name));
      }
      if (expanded === undefined) continue;
      uri += lead + expanded;
      lead = expansion.separator;
    }
  }
  return uri;
}

function problemOf(cause: unknown, name: string): string {
  // encodeURIComponent fails only for lone surrogates.
  const reason =
    cause instanceof URIError ? "contains a lone surrogate. Pass well-formed text" : (cause as Error).message;
  return `the value of ${quote(name)} ${reason}.`;
}

function expandVariable(variable: Variable, expansion: Expansion, value: unknown): string | undefined {
  if (value === undefined || value === null) return undefined;
  if (typeof value !== "object") {
    return withName(variable.name, expandString(variable, expansion, toScalar(value)), expansion);
  }
  const members = toMembers(value);
  if (members.length === 0) return undefined;
  if (variable.prefix !== undefined) throw new Error("is a list or a map, but a prefix needs a string. Pass a string");
  const encode = expansion.reserved ? encodeReserved : encodeUnreserved;
  if (!variable.explode) {
    const items = members.map(([key, item]) => (key === undefined ? encode(item) : `${encode(key)},${encode(item)}`));
    return withName(variable.name, items.join(","), expansion);
  }
  const items = members.map(([key, item]) => {
    if (key === undefined) return withName(variable.name, encode(item), expansion);
    if (expansion.named) return withName(encode(key), encode(item), expansion);
    return `${encode(key)}=${encode(item)}`;
  });
  return items.join(expansion.separator);
}

function expandString(variable: Variable, expansion: Expansion, value: string): string {
  const text = variable.prefix === undefined ? value : Array.from(value).slice(0, variable.prefix).join("");
  return expansion.reserved ? encodeReserved(text) : encodeUnreserved(text);
}

function withName(name: string, value: string, expansion: Expansion): string {
  if (!expansion.named) return value;
  return value === "" ? name + expansion.ifEmpty : `${name}=${value}`;
}

type Member = readonly [key: string | undefined, item: string];

/** Returns the members of a list (without keys) or of a map (with keys). */
function toMembers(value: object): Member[] {
  const entries = Array.isArray(value) ? value.map((item) => [undefined, item] as const) : toEntries(value);
  const members: Member[] = [];
  for (const [key, item] of entries) {
    if (item !== undefined && item !== null) members.push([key, toScalar(item)]);
  }
  return members;
}

function toEntries(value: object): [string, unknown][] {
  // A Date or a Map has no own enumerable properties and would be omitted silently.
  const prototype: unknown = Object.getPrototypeOf(value);
  if (prototype === null || Object.getPrototypeOf(prototype) === null) return Object.entries(value);
  throw new Error("is neither a list nor a plain object. Convert it to one, or to a string");
}

function toScalar(value: unknown): string {
  if (typeof value === "string") return value;
  if (typeof value === "number" || typeof value === "bigint" || typeof value === "boolean") return String(value);
  throw new Error(
    `contains a value of type ${typeof value}. Pass strings, numbers or booleans, or a list or map of them`,
  );
}
