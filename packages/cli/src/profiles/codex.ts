import { createHash } from "node:crypto";
import type { ContentBlock } from "proffer";
import { isObject, type Members } from "../terminal/json.ts";
import { asText, type Cut, mapValues, Refusal } from "./cut.ts";

// As codex-rs/codex-mcp/src/tools.rs and codex-rs/protocol/src/models.rs of openai/codex do (343074d, August 2026).

const MAX_NAME = 128;
const HASH = 12;

/** Names that are equal after the replacement, or too long, get a part of a hash. */
function codexNames(server: string, tools: readonly string[]): string[] {
  const namespace = `mcp__${clean(server)}__`;
  const counts = new Map<string, number>();
  for (const tool of tools) counts.set(clean(tool), (counts.get(clean(tool)) ?? 0) + 1);
  const used = new Set<string>();
  return tools.map((tool) => {
    const identity = `${server}\0${server}\0\0${tool}\0${tool}`;
    const suffix = `_${createHash("sha1").update(identity).digest("hex").slice(0, HASH)}`;
    let name = namespace + clean(tool) + ((counts.get(clean(tool)) ?? 0) > 1 ? suffix : "");
    if (name.length > MAX_NAME || used.has(name)) name = name.slice(0, MAX_NAME - suffix.length) + suffix;
    used.add(name);
    return name;
  });
}

function clean(name: string): string {
  return name.replaceAll(/[^A-Za-z0-9_]/g, "_") || "_";
}

/** Both ends of a longer text stay. This is the limit for models that Codex does not know. As 0.169.0 does. */
const MAX_TEXT = 12_000;

function cutText(text: string): ContentBlock {
  const half = MAX_TEXT / 2;
  return asText(text.length <= MAX_TEXT ? text : `${text.slice(0, half)}…${text.slice(-half)}`);
}

export const codex: Cut = {
  names: codexNames,
  input: codexSchema,
  result({ content, structuredContent }) {
    if (structuredContent !== undefined && structuredContent !== null)
      return [cutText(JSON.stringify(structuredContent))];
    if (!content.some(({ type }) => type === "image" || type === "audio")) return [cutText(JSON.stringify(content))];
    return content.map((block) => {
      if (block.type === "text") return cutText(block.text);
      return block.type === "image" || block.type === "audio" ? block : asText(JSON.stringify(block));
    });
  },
};

// The steps of codex-rs/tools/src/json_schema.rs in openai/codex (343074d, August 2026), in the same order.

const TABLES = ["$defs", "definitions"];
const COMPOSITIONS = ["anyOf", "oneOf", "allOf"];
const CHILDREN = ["items", ...COMPOSITIONS];
const TYPES = new Set(["string", "number", "boolean", "integer", "object", "array", "null"]);
const NUMBER_KEYWORDS = ["minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf"];
const MAX_BYTES = 5000;
const MAX_DEPTH = 3;

/** The keywords that reach the model, in the order of its structure. */
export const CODEX_KEYWORDS = [
  ...["$ref", "type", "description", "enum", "items", "minItems", "properties", "required", "additionalProperties"],
  ...[...COMPOSITIONS, ...TABLES],
];

/** Returns a schema as Codex sends it to the model. */
function codexSchema(schema: object): object {
  let cut = prune(sanitize({ properties: {}, ...schema }) as Members);
  for (const pass of [withoutDescriptions, withoutDefinitions, collapse, withoutCompositions]) {
    if (Buffer.byteLength(JSON.stringify(keep(cut))) <= MAX_BYTES) break;
    cut = pass(cut) as Members;
  }
  if (cut.type === "null") throw new Refusal("the type is null");
  return keep(cut) as object;
}

function sanitize(value: unknown): unknown {
  if (typeof value === "boolean") return { type: "string" };
  if (Array.isArray(value)) return value.map(sanitize);
  if (!isObject(value)) return value;
  const map = mapChildren(value, sanitize, [...TABLES, "prefixItems"]);
  for (const table of TABLES) if (table in map && !isObject(map[table])) delete map[table];
  if ("const" in map) {
    map.enum = [map.const];
    delete map.const;
  }
  let types = [map.type].flat().filter((type) => TYPES.has(type as string)) as string[];
  if (types.length === 0) {
    if ("$ref" in map || COMPOSITIONS.some((key) => key in map)) return map;
    types = guessType(map);
    if (types.length === 0) return {};
  }
  map.type = types.length === 1 ? types[0] : types;
  if (types.includes("object")) map.properties ??= {};
  if (types.includes("array")) map.items ??= { type: "string" };
  return map;
}

function guessType(map: Members): string[] {
  const has = (...keys: string[]) => keys.some((key) => key in map);
  if (has("properties", "required", "additionalProperties")) return ["object"];
  if (has("items", "prefixItems")) return ["array"];
  if (has("enum", "format")) return ["string"];
  return has(...NUMBER_KEYWORDS) ? ["number"] : [];
}

/** Changes the schemas in a schema; `more` names further keywords that are visited. */
function mapChildren(map: Members, change: (schema: unknown) => unknown, more: readonly string[] = []) {
  const copy: { [key: string]: unknown } = { ...map };
  if (isObject(map.properties)) copy.properties = mapValues(map.properties, change);
  for (const key of CHILDREN) if (key in map) copy[key] = change(map[key]);
  const { additionalProperties: rest } = map;
  if (rest !== undefined && typeof rest !== "boolean") copy.additionalProperties = change(rest);
  for (const key of more) {
    const value = map[key];
    if (TABLES.includes(key) && isObject(value)) copy[key] = mapValues(value, change);
    else if (key in map && !TABLES.includes(key)) copy[key] = change(value);
  }
  return copy;
}

/** Removes the definitions that nothing refers to. */
function prune(root: Members): Members {
  const reached = new Set<string>();
  const visit = (value: unknown, isRoot = false): void => {
    if (Array.isArray(value)) for (const item of value) visit(item);
    if (!isObject(value)) return;
    const target = definitionOf(value.$ref);
    if (target !== undefined && !reached.has(target.join())) {
      reached.add(target.join());
      visit((root[target[0]] as Members | undefined)?.[target[1]]);
    }
    for (const [key, item] of Object.entries(value)) if (!(isRoot && TABLES.includes(key))) visit(item);
  };
  visit(root, true);
  const copy: { [key: string]: unknown } = { ...root };
  for (const table of TABLES) {
    const kept = Object.entries((root[table] as object | undefined) ?? {}).filter(([name]) =>
      reached.has([table, name].join()),
    );
    if (kept.length > 0) copy[table] = Object.fromEntries(kept);
    else delete copy[table];
  }
  return copy;
}

function definitionOf(ref: unknown): [string, string] | undefined {
  const [hash, table = "", name] = typeof ref === "string" ? ref.split("/") : [];
  return hash === "#" && TABLES.includes(table) && name !== undefined ? [table, name] : undefined;
}

function withoutDescriptions(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutDescriptions);
  if (!isObject(value)) return value;
  const { description: _, ...rest } = mapChildren(value, withoutDescriptions, TABLES);
  return rest;
}

function withoutDefinitions(root: Members): unknown {
  const replace = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(replace);
    if (!isObject(value)) return value;
    return definitionOf(value.$ref) === undefined ? mapChildren(value, replace) : {};
  };
  const { $defs: _, definitions: __, ...rest } = replace(root) as Members;
  return rest;
}

function collapse(value: unknown, depth = 0): unknown {
  if (Array.isArray(value)) return value.map((item) => collapse(item, depth));
  if (!isObject(value)) return value;
  const isComplex = [...CHILDREN, "properties", "additionalProperties", "$ref"].some((key) => key in value);
  return depth >= MAX_DEPTH && isComplex ? {} : mapChildren(value, (child) => collapse(child, depth + 1));
}

function withoutCompositions(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutCompositions);
  if (!isObject(value)) return value;
  return COMPOSITIONS.some((key) => key in value) ? {} : mapChildren(value, withoutCompositions);
}

/** Keeps the keywords that Codex has a place for. Its properties are sorted by name. */
function keep(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(keep);
  if (!isObject(value)) return value;
  const entries = CODEX_KEYWORDS.filter((key) => value[key] !== undefined).map((key) => [key, value[key]] as const);
  const kept = mapChildren(Object.fromEntries(entries), keep, TABLES);
  for (const key of ["properties", ...TABLES]) {
    const map = kept[key];
    if (isObject(map)) kept[key] = Object.fromEntries(Object.entries(map).sort(([a], [b]) => (a < b ? -1 : 1)));
  }
  return kept;
}
