import { luaTokens, type Token } from "./lua-tokens.ts";

/** What a package says of itself. What it does not say is null, so that every key is always there. */
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
 * Reads the table `M.meta` of a package's source without running it; undefined if there is none, or none with a name.
 * Values are texts, or texts put together with `..`; anything else is passed over.
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

/** Goes behind `M.meta = {`, wherever in the code that is. */
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

/** The fields of a table whose values are texts; of two with the same name, the first. */
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

/** Keeps `key = "text" .. "text"`. */
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

/** The lines that begin with `---` before anything else does. */
function leadingComment(source: string): string {
  const lines: string[] = [];
  for (const line of source.split("\n", 10_000)) {
    const text = line.trim();
    if (text.startsWith("---")) lines.push(text.slice(3).trim());
    else if (text !== "") break;
  }
  return lines.join("\n");
}
