import { UsageError } from "../../support/usage-error.ts";

/** How a database writes parameters and calls its catalogue. */
export type Dialect = "postgres" | "mysql" | "sqlite";

/** A query that can be run with values. */
export interface Statement {
  readonly text: string;
  /** The names of the values, in the order in which the database wants them. */
  readonly names: readonly string[];
}

/** What makes a query write that begins as one that reads: `with gone as (delete …) select …`, `select … into`. */
const WRITING = /^(?:delete|insert|into|merge|update)$/i;
const READING = /^(?:select|with|values|table|explain|show)$/i;

/** A piece of SQL: a text, a quoted thing, a comment, or `:name`. */
const TOKEN =
  /--[^\n]*|\/\*|'(?:[^']|'')*'|"(?:[^"]|"")*"|`(?:[^`]|``)*`|\$([A-Za-z_]\w*)?\$|::|:([A-Za-z_]\w*)|[A-Za-z_]\w*|;|\?|\$\d+|[\s\S]/g;

/**
 * Makes a query of a text with `:name` for values. @throws {UsageError} for a text that does not only read, that has
 * more than one statement, or that has parameters without a name.
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
    if (ended && !isBlank) throw refused(where, "has more than one statement; write one");
    if (token === ";") {
      ended = true;
      continue;
    }
    if (token === "?" || /^\$\d+$/.test(token))
      throw refused(where, `has the parameter ${token} without a name; write :name`);
    const name = found[2];
    if (name !== undefined) {
      text += placeholder(name, names, dialect);
      continue;
    }
    if (/^[A-Za-z_]/.test(token)) {
      first ??= token;
      if (WRITING.test(token))
        throw refused(where, `has the word ${token}; queries here only read (quote it if it is a name)`);
    }
    text += whole;
  }
  if (first === undefined || !READING.test(first)) throw refused(where, `does not begin with select or with`);
  return { text: text.trim(), names };
}

/** Where a token ends: comments nest in PostgreSQL, and `$tag$` begins a text that ends with the same. */
function endOf(source: string, at: number, token: string, where: string): number {
  if (token === "/*") return endOfComment(source, at, where);
  if (token.length > 1 && token.startsWith("$") && token.endsWith("$")) {
    const end = source.indexOf(token, at + token.length);
    if (end === -1) throw refused(where, `has ${token} without an end`);
    return end + token.length;
  }
  if (token === "'" || token === '"' || token === "`") throw refused(where, `has ${token} without an end`);
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
  throw refused(where, "has /* without an end");
}

function placeholder(name: string, names: string[], dialect: Dialect): string {
  if (dialect !== "postgres") {
    names.push(name);
    return "?";
  }
  if (!names.includes(name)) names.push(name);
  return `$${names.indexOf(name) + 1}`;
}

function refused(where: string, problem: string): UsageError {
  return new UsageError("bad_option", `${where}: the query ${problem}.`);
}
