import { luaTokens, type Token } from "./lua-tokens.ts";

/** The metadata of a package. Missing values are null, so that every key is always present. */
export interface PackageMeta {
  readonly name: string;
  readonly version: string | null;
  readonly description: string | null;
  readonly category: string | null;
  readonly alc_shapes_compat: string | null;
  readonly docstring: string | null;
}

const OPEN = ["{", "(", "["];
const CLOSE = ["}", ")", "]"];
const SEPARATORS = [",", ";"];
const OPENING = ["M", ".", "meta", "=", "{"];

/**
 * Reads the table `M.meta` of a package's source without running it. Returns undefined if the table or its name is
 * missing. Reads string literals, also concatenated with `..`; skips all other values.
 */
export function extractMeta(source: string): PackageMeta | undefined {
  const tokens = luaTokens(source);
  if (!findOpening(tokens)) return undefined;
  const fields = readFields(tokens);
  const name = fields.get("name");
  if (!name) return undefined;
  const optional = (key: string): string | null => fields.get(key) || null;
  return {
    name,
    version: optional("version"),
    description: optional("description"),
    category: optional("category"),
    alc_shapes_compat: optional("alc_shapes_compat"),
    docstring: leadingComment(source) || null,
  };
}

/** Consumes the tokens up to and including `M.meta = {`. */
function findOpening(tokens: Generator<Token>): boolean {
  let at = 0;
  for (let next = tokens.next(); !next.done; next = tokens.next()) {
    const { kind, text } = next.value;
    if (kind !== "string" && text === OPENING[at]) at++;
    else at = kind === "name" && text === OPENING[0] ? 1 : 0;
    if (at === OPENING.length) return true;
  }
  return false;
}

/** The fields of a table whose values are strings. If two have the same name, the first counts. */
function readFields(tokens: Iterable<Token>): ReadonlyMap<string, string> {
  const fields = new Map<string, string>();
  let field: Token[] = [];
  let depth = 1;
  for (const token of tokens) {
    const symbol = token.kind === "symbol" ? token.text : "";
    const opens = OPEN.includes(symbol);
    if (opens) depth++;
    if (CLOSE.includes(symbol)) depth--;
    if (depth === 0 || (depth === 1 && SEPARATORS.includes(symbol))) {
      keep(fields, field);
      field = [];
    } else if (depth === 1 || opens) field.push(token);
    if (depth === 0) break;
  }
  return fields;
}

/** Stores a field of the form `key = "text" .. "text"`. */
function keep(fields: Map<string, string>, [key, equals, ...parts]: readonly Token[]): void {
  if (key?.kind !== "name" || equals?.text !== "=" || parts.length % 2 === 0 || fields.has(key.text)) return;
  let value = "";
  for (const [at, { kind, text }] of parts.entries()) {
    if (at % 2 === 1 && (kind !== "symbol" || text !== "..")) return;
    if (at % 2 === 0 && kind !== "string") return;
    if (at % 2 === 0) value += text;
  }
  fields.set(key.text, value);
}

/** The lines that begin with `---` at the top of the source. */
function leadingComment(source: string): string {
  const lines: string[] = [];
  for (const line of source.split("\n", 10_000)) {
    const text = line.trim();
    if (text.startsWith("---")) lines.push(text.slice(3).trim());
    else if (text !== "") break;
  }
  return lines.join("\n");
}
