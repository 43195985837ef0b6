import type { DerivedSchema, JsonType } from "../model/json-schema.ts";
import {
  ARGUMENT_NAME,
  COUNT,
  FLAG,
  type Grammar,
  INTEGER_WORD,
  NOTHING,
  NUMBER,
  PATTERN,
  POSITIVE,
  TEXT,
} from "./grammars.ts";
import { DEFAULT, EXTRA_KEYWORD } from "./literal-grammars.ts";
import { row, setDefault, type Tag, VALUES, withInteger } from "./tag.ts";

const NUMBERS = ["number", "integer"] as const;

/** The tags that constrain values; each sets keywords of a schema. */
export const VALUE_TAGS: readonly Tag[] = [
  row({
    name: "default",
    aliases: ["defaultValue"],
    on: VALUES,
    value: DEFAULT,
    effect: "Sets the default that clients see. The function must use the same one.",
    example:
      "/** Lists. @param limit - how many. @default 10 */ export const list = (limit?: number) => [limit ?? 10];",
    keywords: setDefault,
  }),
  row({
    name: "integer",
    on: VALUES,
    value: NOTHING,
    effect: "Allows only whole numbers.",
    example: "/** Skips. @param pages - how many. @integer */ export const skip = (pages: number) => pages;",
    types: NUMBERS,
    keywords: (_, schema) => withInteger(schema),
  }),
  row({
    name: "type",
    aliases: ["asType"],
    on: VALUES,
    value: INTEGER_WORD,
    effect: "With the word `integer`: as `@integer`. Other values declare types in JavaScript.",
    example: "/** Turns. @param page - which one. @type integer */ export const turn = (page: number) => page;",
    types: NUMBERS,
    keywords: (_, schema) => withInteger(schema),
  }),
  bound("minimum", NUMBERS, NUMBER, "Sets the smallest value.", 1),
  bound("maximum", NUMBERS, NUMBER, "Sets the greatest value.", 100),
  bound("exclusiveMinimum", NUMBERS, NUMBER, "Allows only greater values.", 0),
  bound("exclusiveMaximum", NUMBERS, NUMBER, "Allows only smaller values.", 1),
  bound("multipleOf", NUMBERS, POSITIVE, "Allows only multiples of the number.", 0.5),
  bound("minLength", ["string"], COUNT, "Sets the smallest number of characters.", 1),
  bound("maxLength", ["string"], COUNT, "Sets the greatest number of characters.", 80),
  bound("minItems", ["array"], COUNT, "Sets the smallest number of items.", 1),
  bound("maxItems", ["array"], COUNT, "Sets the greatest number of items.", 9),
  row({
    name: "uniqueItems",
    on: VALUES,
    value: FLAG,
    effect: "Rejects equal items.",
    example: "/** Tags. @param tags - which. @uniqueItems */ export const tagAll = (tags: string[]) => tags;",
    types: ["array"],
    keywords: (uniqueItems) => ({ uniqueItems }),
  }),
  row({
    name: "pattern",
    on: VALUES,
    value: PATTERN,
    effect: "Allows only texts that match. Write `*\\/` for the end of a comment.",
    example: "/** Looks up. @param code - the code. @pattern ^[A-Z]{3}$ */ export const look = (code: string) => code;",
    types: ["string"],
    keywords: (pattern) => ({ pattern }),
  }),
  row({
    name: "format",
    on: VALUES,
    value: TEXT,
    effect: "Sets the format of a text, such as date, date-time, email or uri.",
    example: "/** Plans. @param day - when. @format date */ export const plan = (day: string) => day;",
    types: ["string"],
    keywords: (format) => ({ format }),
  }),
  row({
    name: "as",
    on: ["parameter", "property"],
    value: ARGUMENT_NAME,
    effect:
      "Sets the name of the argument for clients. It applies to a parameter, and to a property of the only parameter if that is destructured.",
    example: "/** Draws. @param n - how many. @as count */ export const cards = (n: number) => n;",
  }),
  row({
    name: "keyword",
    on: VALUES,
    value: EXTRA_KEYWORD,
    repeats: true,
    effect: "Sets another keyword of the schema.",
    example:
      "/** Patches. @param changes - by name. @keyword minProperties 1 */ export const patch = (changes: Record<string, string>) => changes;",
    keywords: (keyword) => keyword,
  }),
  row({
    name: "secret",
    on: ["setting"],
    value: NOTHING,
    effect: "Marks a setting whose value is never shown: in logs, errors, manifests or the output of commands.",
    example:
      'import { defineSettings } from "proffer/settings";\nconst settings = defineSettings<{ /** The key. @secret */ SHOP_KEY?: string }>();\n/** Says whether the key is set. */ export const hasKey = () => settings.SHOP_KEY !== undefined;',
    keywords: () => ({ writeOnly: true }),
  }),
];

function bound(
  name: keyof DerivedSchema,
  types: readonly JsonType[],
  value: Grammar<number>,
  effect: string,
  sample: number,
): Tag {
  const type = types[0] === "array" ? "string[]" : types[0];
  return row({
    name,
    on: VALUES,
    value,
    effect,
    example: `/** Takes. @param n - a value. @${name} ${sample} */ export const ${name} = (n: ${type}) => n;`,
    types,
    keywords: (limit) => ({ [name]: limit }),
  });
}
