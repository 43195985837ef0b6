import { isObject, type JsonObject } from "../protocol/messages.ts";
import { keywords } from "../schema/json-schema/keywords.ts";
import { UsageError } from "../support/usage-error.ts";

/** An argument that clients repeat in a header over HTTP, so that proxies can route by it. */
export interface HeaderParam {
  /** The whole header name, in lower case. */
  readonly header: string;
  /** Where the argument is: the names of properties, outermost first. */
  readonly path: readonly string[];
}

const KEYWORD = "x-mcp-header";
const TYPES: ReadonlySet<unknown> = new Set(["string", "integer", "boolean"]);
// RFC 9110, section 5.6.2.
const TOKEN = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;

/**
 * The arguments that an input schema wants mirrored in headers. Conforming clients drop a tool whose declarations are
 * wrong, so that it would be missing without a word.
 * @throws {UsageError} for a name or place that the specification forbids.
 */
export function findHeaderParams(schema: JsonObject, where: string): readonly HeaderParam[] {
  const mirrors: HeaderParam[] = [];
  collect(schema, [], mirrors, where);
  const names = new Set<string>();
  for (const { header } of mirrors) {
    if (names.has(header)) throw wrong(where, `two arguments share the header ${header}; header names ignore case`);
    names.add(header);
  }
  return mirrors;
}

/** Goes through `properties` only; whatever else holds schemas must not declare a header. */
function collect(schema: JsonObject, path: readonly string[], mirrors: HeaderParam[], where: string): void {
  if (Object.hasOwn(schema, KEYWORD)) mirrors.push(toMirror(schema, path, where));
  for (const [keyword, value] of Object.entries(schema)) {
    if (keyword === "properties" && isObject(value)) {
      for (const [name, property] of Object.entries(value)) {
        if (isObject(property)) collect(property, [...path, name], mirrors, where);
      }
      continue;
    }
    for (const each of subschemas(keyword, value)) refuseIn(each, `${where}: ${keyword}`);
  }
}

function toMirror(schema: JsonObject, path: readonly string[], where: string): HeaderParam {
  const name = schema[KEYWORD];
  const place = `${where}: /${path.join("/")}`;
  if (path.length === 0) throw wrong(where, `${KEYWORD} belongs to one argument, not to all of them`);
  if (typeof name !== "string" || !TOKEN.test(name)) {
    throw wrong(place, `${KEYWORD} must be letters, digits and hyphens, not ${JSON.stringify(name)}`);
  }
  if (!TYPES.has(schema.type)) throw wrong(place, `${KEYWORD} needs the type string, integer or boolean`);
  return { header: `mcp-param-${name.toLowerCase()}`, path };
}

function refuseIn(schema: unknown, where: string): void {
  if (!isObject(schema)) return;
  if (Object.hasOwn(schema, KEYWORD)) {
    throw wrong(where, `${KEYWORD} can stand only where a path of properties leads to it`);
  }
  for (const [keyword, value] of Object.entries(schema)) {
    for (const each of subschemas(keyword, value)) refuseIn(each, where);
  }
}

function subschemas(keyword: string, value: unknown): readonly unknown[] {
  switch (keywords.get(keyword)) {
    case "schema":
      return [value];
    case "schemaList":
      return Array.isArray(value) ? value : [];
    case "schemaMap":
      return isObject(value) ? Object.values(value) : [];
    default:
      return [];
  }
}

function wrong(where: string, what: string): UsageError {
  return new UsageError("bad_schema", `${where}: ${what}.`);
}
