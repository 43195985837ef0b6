import type { JsonSchemaObject } from "proffer";
import { escapeToken, NAME_COST } from "proffer/derived";

/** Writes the check of the schema at a pointer as an expression about a variable. */
type Write = (pointer: string, variable: string) => string;

/**
 * Writes the body of a function that checks an object. It iterates over the properties of the value, as the validator
 * does, so that it never mistakes an inherited property such as `__proto__` or `constructor` for one of the value. Like
 * the validator, it charges for all names, also after a failure.
 */
export function writeObject(schema: JsonSchemaObject, pointer: string, write: Write): string[] {
  const { properties = {} } = schema;
  const additional = `${pointer}/additionalProperties`;
  const required = new Set(schema.required);
  const names = new Set([...Object.keys(properties), ...required]);
  const cases = [...names].flatMap((name) => {
    const declared = `${pointer}/properties/${escapeToken(name)}`;
    const test = write(Object.hasOwn(properties, name) ? declared : additional, "item");
    return writeProperty(name, test, required.has(name));
  });
  return [
    'if (typeof value !== "object" || value === null || Array.isArray(value)) return false;',
    `if ((run.left -= ${names.size + 1}) < 0) return false;`,
    `let missing = ${required.size};`,
    "let fits = true;",
    "for (const name in value) {",
    `  if (!fits) run.left -= ${NAME_COST};`,
    "  else switch (name) {",
    ...[...cases, ...writeOthers(write(additional, "item"))].map((line) => `    ${line}`),
    "  }",
    "}",
    "return fits && missing === 0;",
  ];
}

function writeProperty(name: string, test: string, isRequired: boolean): string[] {
  const text = JSON.stringify(name);
  // JSON omits undefined, so it counts as absent even if the schema of the property accepts it.
  const condition = isRequired ? `item !== undefined && (${test})` : test;
  return [
    `case ${text}: {`,
    `  const item = value[${text}];`,
    `  fits = ${condition};`,
    ...(isRequired ? ["  missing--;"] : []),
    "  break;",
    "}",
  ];
}

function writeOthers(test: string): string[] {
  const charge = `  fits = (run.left -= ${NAME_COST}) >= 0`;
  if (test === "false") return ["default:", "  fits = false;"];
  if (test === "true") return ["default:", `${charge};`];
  return ["default: {", "  const item = value[name];", `${charge} && (${test});`, "}"];
}

/** Writes the body of a function that checks an array. */
export function writeArray(schema: JsonSchemaObject, pointer: string, write: Write): string[] {
  const { prefixItems: prefix = [], minItems = 0, maxItems } = schema;
  return [
    "if (!Array.isArray(value)) return false;",
    "const length = value.length;",
    ...(minItems > 0 ? [`if (length < ${minItems}) return false;`] : []),
    ...(maxItems === undefined ? [] : [`if (length > ${maxItems}) return false;`]),
    "if ((run.left -= length) < 0) return false;",
    ...prefix.flatMap((_, i) => writeItem(`if (length > ${i})`, `${i}`, write(`${pointer}/prefixItems/${i}`, "item"))),
    ...writeItem(`for (let i = ${prefix.length}; i < length; i++)`, "i", write(`${pointer}/items`, "item")),
    "return true;",
  ];
}

function writeItem(statement: string, index: string, test: string): string[] {
  if (test === "true") return [];
  return [`${statement} {`, `  const item = value[${index}];`, `  if (!(${test})) return false;`, "}"];
}
