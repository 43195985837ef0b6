import { isObject, type Members } from "../terminal/json.ts";
import { block, comment, literal, propertyName, typeName } from "./names.ts";

/** Deeper parts, and those after the budget of characters is spent, are `unknown`: a schema may repeat itself endlessly. */
const MAX_DEPTH = 60;
const BUDGET = 20_000_000;
/** Counted for each part, besides its text. */
const PART = 10;

/** Writes the types of one document: its definitions become aliases, so that recursive ones end. */
export interface SchemaWriter {
  /** The type of a schema. `root` is the document that its references point into. */
  typeOf(schema: unknown, root: unknown, name: string): string;
  /** The aliases that the types so far refer to. */
  aliases(): string[];
}

interface Place {
  readonly root: unknown;
  /** The prefix of the names of aliases. */
  readonly name: string;
  readonly depth: number;
  /** The references that lead here without an object or a list between: an alias of itself is an error. */
  readonly open: readonly string[];
}

export function createSchemaWriter(taken: Iterable<string>): SchemaWriter {
  const names = new Set(taken);
  /** The aliases of each document, by reference. */
  const known = new Map<unknown, Map<string, string>>();
  const aliases = new Map<string, string>();
  let budget = BUDGET;

  function write(schema: unknown, place: Place): string {
    if (schema === false) return "never";
    if (!isObject(schema) || place.depth > MAX_DEPTH || budget < 0) return "unknown";
    const type = combine(schema, place);
    budget -= type.length + PART;
    return type;
  }

  /** The type by all keywords: alternatives and references hold beside the others. */
  function combine(schema: Members, place: Place): string {
    const { $ref, anyOf, oneOf, allOf } = schema;
    const alternatives = [anyOf, oneOf]
      .filter(Array.isArray)
      .map((list) => union(list.map((each) => write(each, place))));
    const all = [
      ...(typeof $ref === "string" ? [reference($ref, place)] : []),
      ...(Array.isArray(allOf) ? allOf.map((each) => write(each, place)) : []),
      ...alternatives,
      own(schema, place),
    ];
    const type = intersection(all);
    return schema.nullable === true ? union([type, "null"]) : type;
  }

  /** The type by the keywords of the schema itself. */
  function own(schema: Members, place: Place): string {
    const { type, properties, items, prefixItems } = schema;
    if ("const" in schema) return literal(schema.const);
    if (Array.isArray(schema.enum)) return union(schema.enum.map(literal));
    if (Array.isArray(type)) return union(type.map((each) => primitive(each, schema, place)));
    if (type !== undefined) return primitive(type, schema, place);
    if (isObject(properties) || isObject(schema.patternProperties)) return object(schema, place);
    return items === undefined && prefixItems === undefined ? "unknown" : list(schema, place);
  }

  function primitive(type: unknown, schema: Members, place: Place): string {
    if (type === "string" || type === "number" || type === "boolean" || type === "null") return type;
    if (type === "integer") return "number";
    if (type === "array") return list(schema, place);
    return type === "object" ? object(schema, place) : "unknown";
  }

  function list({ items, prefixItems, minItems, maxItems, additionalItems }: Members, place: Place): string {
    const inner = { ...place, depth: place.depth + 1, open: [] };
    // Draft 7 has the positions in `items`.
    const positions = Array.isArray(prefixItems) ? prefixItems : Array.isArray(items) ? items : [];
    const rest = Array.isArray(items) ? additionalItems : items;
    const element = rest === undefined ? "unknown" : write(rest, inner);
    if (positions.length === 0) return element === "never" ? "[]" : `${wrapped(element)}[]`;
    const least = typeof minItems === "number" ? minItems : 0;
    const types = positions.map((each, index) => `${wrapped(write(each, inner))}${index < least ? "" : "?"}`);
    const isClosed = element === "never" || (typeof maxItems === "number" && maxItems <= positions.length);
    return `[${[...types, ...(isClosed ? [] : [`...${wrapped(element)}[]`])].join(", ")}]`;
  }

  function object(schema: Members, place: Place): string {
    const inner = { ...place, depth: place.depth + 1, open: [] };
    const { properties, required, additionalProperties, patternProperties } = schema;
    const names = Array.isArray(required) ? required : [];
    const members = Object.entries(isObject(properties) ? properties : {}).map(([key, value]) => {
      const type = write(value, inner);
      const isOptional = !names.includes(key);
      const shown = isObject(value) ? comment(value.description) : "";
      return {
        type: isOptional ? `${type} | undefined` : type,
        text: `${shown}${propertyName(key)}${isOptional ? "?" : ""}: ${type};`,
      };
    });
    const values = [
      ...(isObject(patternProperties) ? Object.values(patternProperties).map((each) => write(each, inner)) : []),
      ...(isObject(additionalProperties) ? [write(additionalProperties, inner)] : []),
    ];
    if (members.length === 0 && values.length === 0)
      return additionalProperties === false ? "Record<string, never>" : "{ [key: string]: unknown }";
    const index =
      values.length === 0 ? [] : [`[key: string]: ${union([...values, ...members.map(({ type }) => type)])};`];
    return block([...members.map(({ text }) => text), ...index]);
  }

  function reference(ref: string, place: Place): string {
    const target = resolve(ref, place.root);
    if (target === undefined || place.open.includes(ref)) return "unknown";
    // An alias may refer to itself only within an object or a list.
    if (place.open.length > 0 || place.depth === 0)
      return write(target, { ...place, depth: place.depth + 1, open: [...place.open, ref] });
    const own = known.get(place.root) ?? new Map<string, string>();
    known.set(place.root, own);
    const earlier = own.get(ref);
    if (earlier !== undefined) return earlier;
    const name = unique(typeName(`${place.name} ${ref === "#" ? "root" : (ref.split("/").at(-1) ?? "")}`));
    own.set(ref, name);
    aliases.set(name, write(target, { ...place, depth: place.depth + 1, open: [ref] }));
    return name;
  }

  function unique(wanted: string): string {
    let name = wanted;
    for (let number = 2; names.has(name); number++) name = `${wanted}${number}`;
    names.add(name);
    return name;
  }

  return {
    typeOf: (schema, root, name) => write(schema, { root, name, depth: 0, open: [] }),
    aliases: () => [...aliases].map(([name, type]) => `type ${name} = ${type};`),
  };
}

/** Follows a reference within the document. Others are never requested. */
function resolve(ref: string, root: unknown): unknown {
  if (!ref.startsWith("#")) return undefined;
  let target: unknown = root;
  for (const token of ref.slice(1).split("/").slice(1)) {
    const key = decode(token).replaceAll("~1", "/").replaceAll("~0", "~");
    if (typeof target !== "object" || target === null || !Object.hasOwn(target, key)) return undefined;
    target = (target as Members)[key];
  }
  return ref === "#" || ref.startsWith("#/") ? target : undefined;
}

function decode(token: string): string {
  try {
    return decodeURIComponent(token);
  } catch {
    return token;
  }
}

function union(types: readonly string[]): string {
  const all = [...new Set(types.filter((type) => type !== "never"))];
  if (all.includes("unknown")) return "unknown";
  return all.length === 0 ? "never" : all.join(" | ");
}

function intersection(types: readonly string[]): string {
  const all = [...new Set(types.filter((type) => type !== "unknown"))];
  if (all.length === 0) return "unknown";
  return all.length === 1 ? (all[0] as string) : all.map(wrapped).join(" & ");
}

function wrapped(type: string): string {
  return /[|&]/.test(type) ? `(${type})` : type;
}
