import { type DerivedSchema, type Json, type JsonType, typesOf } from "../model/json-schema.ts";
import type { Grammar } from "./grammars.ts";
import { readLiteral } from "./literal.ts";

interface Keyword {
  /** Completes the sentence "minProperties must be …". */
  readonly expected: string;
  accepts(value: Json): boolean;
  /** The type of values that it applies to. Default: all. */
  readonly type?: JsonType;
}

const COUNT = {
  expected: "a non-negative integer",
  accepts: (value: Json) => Number.isInteger(value) && Number(value) >= 0,
};
const FLAG = { expected: "true or false", accepts: (value: Json) => typeof value === "boolean" };
const TEXT = { expected: "a string in quotes", accepts: (value: Json) => typeof value === "string" };

/**
 * The keywords that neither a type nor another tag sets, and that the run-time's validator knows. Keywords with
 * subschemas are not among them: a type describes them better.
 */
const KEYWORDS: { readonly [name: string]: Keyword } = {
  minProperties: { ...COUNT, type: "object" },
  maxProperties: { ...COUNT, type: "object" },
  dependentRequired: { expected: "an object of arrays of names", accepts: isNameLists, type: "object" },
  readOnly: FLAG,
  writeOnly: FLAG,
  contentEncoding: { ...TEXT, type: "string" },
  contentMediaType: { ...TEXT, type: "string" },
  $comment: TEXT,
};

const NAMES = `${Object.keys(KEYWORDS).join(", ")} and keywords that begin with x-`;

/** A keyword of JSON Schema and its value. Keywords that begin with `x-` may have any value. */
export const EXTRA_KEYWORD: Grammar<DerivedSchema> = {
  expected: `a keyword and its JSON value; for ${NAMES}`,
  parse(text, schema) {
    const [, name = "", json = ""] = /^(\S*)\s*([\s\S]*)$/.exec(text) ?? [];
    const literal = readLiteral(json);
    if (typeof literal !== "object") return isKeyword(name) ? "invalid" : "foreign";
    const { value } = literal;
    if (name.startsWith("x-")) return { value: { [name]: value } as DerivedSchema };
    const keyword = isKeyword(name) ? KEYWORDS[name] : undefined;
    if (keyword === undefined)
      return { problem: `cannot set ${name}, only ${NAMES}. Types and other tags set the rest` };
    if (!keyword.accepts(value)) return { problem: `${name} must be ${keyword.expected}, not ${json}` };
    const types = typesOf(schema);
    if (keyword.type && types && !types.has(keyword.type)) {
      return { problem: `${name} applies only to ${keyword.type}s, but the type is ${[...types].join(" or ")}` };
    }
    return { value: { [name]: value } as DerivedSchema };
  },
};

function isKeyword(name: string): boolean {
  return Object.hasOwn(KEYWORDS, name) || name.startsWith("x-");
}

function isNameLists(value: Json): boolean {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return false;
  return Object.values(value).every((names) => Array.isArray(names) && names.every((name) => typeof name === "string"));
}
