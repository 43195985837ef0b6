import type { CompiledSchema, SchemaIssue } from "../schema/json-schema/types.ts";
import { ValidationError } from "../schema/schema.ts";
import { unescapeToken } from "../support/json-pointer.ts";

/** The issues that a message names. */
const MAX_SHOWN = 10;

/** The characters of JSON that may be read again while nulls are dropped. */
const MAX_WORK = 50_000_000;

/** The characters of a value that the model gets: more would not fit into its context. */
const MAX_TEXT = 100_000;

/** The nulls that are tried out in the members of unions. */
const MAX_TRIED = 100;

/**
 * A result that does not match its derived schema: the types of a library say less than it returns. The model gets the
 * value as text, because it would lose the result.
 */
class OutputMismatch extends ValidationError {
  readonly #json: string | undefined;

  constructor(issues: readonly SchemaIssue[], json?: string) {
    super(issues);
    this.#json = json;
  }

  override forModel(closed: boolean): string {
    const [first, ...others] = this.issues;
    const more = others.length === 0 ? "" : `, and ${others.length} more`;
    const problem = `The result does not match its output schema (${first?.pointer || "/"}: ${first?.message}${more})`;
    const json = this.#json;
    if (closed || json === undefined) return `${problem}.`;
    if (json.length <= MAX_TEXT) return `${problem}. It is:\n${json}`;
    return `${problem}. It has ${json.length} characters and begins with:\n${json.slice(0, MAX_TEXT)}`;
  }
}

/**
 * Returns a result that matches its schema and differs from the value only in what JSON leaves out, and in nulls that may
 * be absent. @throws {OutputMismatch} if there is none
 */
export function repair(schema: CompiledSchema, value: unknown): unknown {
  // A class may write itself differently, and the client gets what it writes.
  const json = JSON.stringify(value);
  if (json === undefined) throw new OutputMismatch(schema.issues(value).map((issue) => withKind(issue, value)));
  const written: unknown = JSON.parse(json);
  if (schema.check(written)) return written;
  const issues = schema.issues(written).map((issue) => withKind(issue, written));
  if (dropNulls(schema, written, Math.ceil(MAX_WORK / json.length))) return written;
  throw new OutputMismatch(issues.slice(0, MAX_SHOWN), json);
}

/** Adds the actual kind to an issue, never the value: the log has it. */
function withKind(issue: SchemaIssue, root: unknown): SchemaIssue {
  const { pointer, message } = issue;
  const [parent, key] = placeOf(root, pointer);
  const value = pointer === "" ? root : parent?.[key];
  if (!message.startsWith("must") || (value === undefined && pointer !== "")) return issue;
  const kind = value === null ? "null" : Array.isArray(value) ? "an array" : `${typeof value}`;
  return { pointer, message: `${message}, not ${kind}` };
}

type Holder = { [name: string]: unknown };

/** Returns the object or the array that holds the value at a pointer, and the name of the value in it. */
function placeOf(root: unknown, pointer: string): [holder: Holder | undefined, name: string] {
  const tokens = pointer.split("/").slice(1).map(unescapeToken);
  const name = tokens.pop() ?? "";
  let at = root;
  for (const token of tokens) {
    at = typeof at === "object" && at !== null && Object.hasOwn(at, token) ? (at as Holder)[token] : undefined;
  }
  return [typeof at === "object" && at !== null ? (at as Holder) : undefined, name];
}

/** Drops the nulls that make a value invalid from its objects. Returns whether the value is valid then. */
function dropNulls(schema: CompiledSchema, root: unknown, rounds: number): boolean {
  for (let round = 0; round < rounds; round++) {
    const places = schema.issues(root).map(({ pointer }) => placeOf(root, pointer));
    const nulls = places.filter(([holder, name]) => holder?.[name] === null && !Array.isArray(holder));
    if (nulls.length === 0) return dropInUnions(schema, root, places);
    for (const [holder, name] of nulls) delete holder?.[name];
    if (schema.check(root)) return true;
  }
  return false;
}

/** In a union, an issue does not name the null itself: drops all nulls there, then adds those again that may stay. */
function dropInUnions(schema: CompiledSchema, root: unknown, places: ReturnType<typeof placeOf>[]): boolean {
  const nulls: [Holder, string][] = [];
  const parts = places.map(([holder, name]) => (holder ? holder[name] : root));
  for (let part = parts.pop(); part !== undefined && nulls.length <= MAX_TRIED; part = parts.pop()) {
    if (typeof part !== "object" || part === null) continue;
    for (const [name, value] of Object.entries(part)) {
      if (value === null && !Array.isArray(part)) nulls.push([part as Holder, name]);
      else parts.push(value);
    }
  }
  if (nulls.length === 0 || nulls.length > MAX_TRIED) return false;
  for (const [holder, name] of nulls) delete holder[name];
  if (!schema.check(root)) return false;
  for (const [holder, name] of nulls) {
    holder[name] = null;
    if (!schema.check(root)) delete holder[name];
  }
  return true;
}
