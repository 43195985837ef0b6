import { isObject, type JsonObject } from "../protocol/messages.ts";
import { subschemas } from "../schema/json-schema/keywords.ts";
import { UsageError } from "../support/usage-error.ts";

/** An argument that clients repeat in an HTTP header, so that proxies can route by it. */
export interface HeaderParam {
  /** The whole header name, in lower case. */
  readonly header: string;
  /** The path of property names to the argument, outermost first. */
  readonly path: readonly string[];
}

const KEYWORD = "x-mcp-header";
const TYPES: ReadonlySet<unknown> = new Set(["string", "integer", "boolean"]);
// RFC 9110, section 5.6.2.
const TOKEN = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;

/**
 * Finds the arguments of an input schema that clients repeat in headers. Conforming clients silently drop a tool with
 * an invalid declaration, so it is an error here.
 * @throws {UsageError} for a name or location that the specification forbids.
 */
export function findHeaderParams(schema: JsonObject, where: string): readonly HeaderParam[] {
  const params: HeaderParam[] = [];
  collect(schema, [], params, where);
  const names = new Set<string>();
  for (const { header } of params) {
    if (names.has(header)) throw invalid(where, `two arguments have the header ${header} (names are case-insensitive)`);
    names.add(header);
  }
  return params;
}

/** Visits `properties` only: schemas under other keywords must not declare a header. */
function collect(schema: JsonObject, path: readonly string[], params: HeaderParam[], where: string): void {
  if (Object.hasOwn(schema, KEYWORD)) params.push(toHeaderParam(schema, path, where));
  for (const [keyword, value] of Object.entries(schema)) {
    if (keyword === "properties" && isObject(value)) {
      for (const [name, property] of Object.entries(value)) {
        if (isObject(property)) collect(property, [...path, name], params, where);
      }
      continue;
    }
    for (const each of subschemas(keyword, value)) rejectHeaders(each, `${where}: ${keyword}`);
  }
}

function toHeaderParam(schema: JsonObject, path: readonly string[], where: string): HeaderParam {
  const name = schema[KEYWORD];
  const place = `${where}: /${path.join("/")}`;
  if (path.length === 0)
    throw invalid(where, `${KEYWORD} must be in the schema of an argument, not of the whole input`);
  if (typeof name !== "string" || !TOKEN.test(name)) {
    throw invalid(place, `${KEYWORD} must be letters, digits and hyphens, not ${JSON.stringify(name)}`);
  }
  if (!TYPES.has(schema.type)) throw invalid(place, `${KEYWORD} requires the type string, integer or boolean`);
  return { header: `mcp-param-${name.toLowerCase()}`, path };
}

function rejectHeaders(schema: unknown, where: string): void {
  if (!isObject(schema)) return;
  if (Object.hasOwn(schema, KEYWORD)) {
    throw invalid(where, `${KEYWORD} is allowed only under nested properties`);
  }
  for (const [keyword, value] of Object.entries(schema)) {
    for (const each of subschemas(keyword, value)) rejectHeaders(each, where);
  }
}

function invalid(where: string, what: string): UsageError {
  return new UsageError(`${where}: ${what}.`, "bad_schema");
}
