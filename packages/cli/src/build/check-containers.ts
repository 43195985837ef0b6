import type { JsonSchema, JsonSchemaObject } from "proffer";

/** Writes the check of a schema as an expression about a variable. */
type Write = (schema: JsonSchema, variable: string) => string;

/**
 * Writes the body of a function that checks an object. It walks over what the value has, as the validator does, so that
 * nothing that is inherited, `__proto__` and `constructor` included, is taken for a property.
 */
export function writeObject(schema: JsonSchemaObject, write: Write): string[] {
  const { properties = {}, additionalProperties: additional = true } = schema;
  const required = new Set(schema.required);
  const names = new Set([...Object.keys(properties), ...required]);
  const cases = [...names].flatMap((name) => {
    const declared = Object.hasOwn(properties, name) ? properties[name] : undefined;
    return writeProperty(name, write(declared ?? additional, "item"), required.has(name));
  });
  return [
    'if (typeof value !== "object" || value === null || Array.isArray(value)) return false;',
    `if ((run.left -= ${names.size + 1}) < 0) return false;`,
    `let missing = ${required.size};`,
    "for (const name in value) {",
    "  switch (name) {",
    ...[...cases, ...writeOthers(write(additional, "item"))].map((line) => `    ${line}`),
    "  }",
    "}",
    "return missing === 0;",
  ];
}

function writeProperty(name: string, test: string, isRequired: boolean): string[] {
  const text = JSON.stringify(name);
  // What JSON leaves out is absent, whatever the schema of the property admits.
  const condition = isRequired ? `item === undefined || !(${test})` : `!(${test})`;
  return [
    `case ${text}: {`,
    `  const item = value[${text}];`,
    `  if (${condition}) return false;`,
    ...(isRequired ? ["  missing--;"] : []),
    "  break;",
    "}",
  ];
}

function writeOthers(test: string): string[] {
  if (test === "false") return ["default:", "  return false;"];
  if (test === "true") return ["default:", "  run.left--;"];
  return ["default: {", "  const item = value[name];", `  if (--run.left < 0 || !(${test})) return false;`, "}"];
}

/** Writes the body of a function that checks an array. */
export function writeArray(schema: JsonSchemaObject, write: Write): string[] {
  const { prefixItems: prefix = [], items = true, minItems = 0, maxItems } = schema;
  return [
    "if (!Array.isArray(value)) return false;",
    "const length = value.length;",
    ...(minItems > 0 ? [`if (length < ${minItems}) return false;`] : []),
    ...(maxItems === undefined ? [] : [`if (length > ${maxItems}) return false;`]),
    "if ((run.left -= length) < 0) return false;",
    ...prefix.flatMap((item, i) => writeItem(`if (length > ${i})`, `${i}`, write(item, "item"))),
    ...writeItem(`for (let i = ${prefix.length}; i < length; i++)`, "i", write(items, "item")),
    "return true;",
  ];
}

function writeItem(statement: string, index: string, test: string): string[] {
  if (test === "true") return [];
  return [`${statement} {`, `  const item = value[${index}];`, `  if (!(${test})) return false;`, "}"];
}
