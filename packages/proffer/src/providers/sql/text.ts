import { UsageError } from "../../support/usage-error.ts";

/** The SQL dialect: determines placeholders and catalog queries. */
export type Dialect = "postgres" | "mysql" | "sqlite";

/** A query in the form that a driver expects. */
export interface Statement {
  readonly text: string;
  /** The names of the values, in placeholder order. */
  readonly names: readonly string[];
}

/** Keywords with which a query that starts like a read can write: `with x as (delete …) select …`, `select … into`. */
const WRITE_KEYWORD = /^(?:delete|insert|into|merge|update)$/i;
const READ_KEYWORD = /^(?:select|with|values|table|explain|show)$/i;

/** A token of SQL: a comment, a literal, a quoted identifier, `:name`, a word, or a single character. */
const TOKEN =
  /--[^\n]*|\/\*|'(?:[^']|'')*'|"(?:[^"]|"")*"|`(?:[^`]|``)*`|\$([A-Za-z_]\w*)?\$|::|:([A-Za-z_]\w*)|[A-Za-z_]\w*|;|\?|\$\d+|[\s\S]/g;

/**
 * Converts a text with `:name` placeholders to a query. @throws {UsageError} for a text that may write, that has more
 * than one statement, or that has unnamed parameters.
 */
export function toStatement(source: string, dialect: Dialect, where: string): Statement {
  const names: string[] = [];
  let text = "";
  let first: string | undefined;
  let ended = false;
  let at = 0;
  TOKEN.lastIndex = 0;
  while (at < source.length) {
    TOKEN.lastIndex = at;
    const found = TOKEN.exec(source);
    if (found === null) break;
    const [token] = found;
    const end = endOf(source, at, token, where);
    const whole = source.slice(at, end);
    at = end;
    const isBlank = /^\s+$/.test(whole) || token === "/*" || token.startsWith("--");
    if (ended && !isBlank) throw queryError(where, "has more than one statement; write one");
    if (token === ";") {
      ended = true;
      continue;
    }
    if (token === "?" || /^\$\d+$/.test(token))
      throw queryError(where, `has the unnamed parameter ${token}; write :name`);
    const name = found[2];
    if (name !== undefined) {
      text += placeholder(name, names, dialect);
      continue;
    }
    if (/^[A-Za-z_]/.test(token)) {
      first ??= token;
      if (WRITE_KEYWORD.test(token))
        throw queryError(where, `contains ${token}, but must be read-only (quote it if it is a name)`);
    }
    text += whole;
  }
  if (first === undefined || !READ_KEYWORD.test(first)) throw queryError(where, "does not start with select or with");
  return { text: text.trim(), names };
}

/** Returns the end of a token. Comments nest in PostgreSQL, and `$tag$` starts a literal that ends with `$tag$`. */
function endOf(source: string, at: number, token: string, where: string): number {
  if (token === "/*") return endOfComment(source, at, where);
  if (token.length > 1 && token.startsWith("$") && token.endsWith("$")) {
    const end = source.indexOf(token, at + token.length);
    if (end === -1) throw queryError(where, `has an unterminated ${token}`);
    return end + token.length;
  }
  if (token === "'" || token === '"' || token === "`") throw queryError(where, `has an unterminated ${token}`);
  return at + token.length;
}

function endOfComment(source: string, start: number, where: string): number {
  let depth = 0;
  for (let at = start; at < source.length; at++) {
    const pair = source.slice(at, at + 2);
    if (pair !== "/*" && pair !== "*/") continue;
    depth += pair === "/*" ? 1 : -1;
    at++;
    if (depth === 0) return at + 1;
  }
  throw queryError(where, "has an unterminated /*");
}

function placeholder(name: string, names: string[], dialect: Dialect): string {
  if (dialect !== "postgres") {
    names.push(name);
    return "?";
  }
  if (!names.includes(name)) names.push(name);
  return `$${names.indexOf(name) + 1}`;
}

function queryError(where: string, problem: string): UsageError {
  return new UsageError(`${where}: the query ${problem}.`);
}
