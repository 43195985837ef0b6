import type ts from "typescript";
import { applyDoc } from "../comments/apply-comment.ts";
import type { NamedDoc } from "../comments/function-comment.ts";
import type { DerivedSchema } from "../model/json-schema.ts";
import type { Conversion } from "./conversion.ts";
import { aliasesOf } from "./type-node.ts";

/** Reports a property that a JSDoc tag declares but the type does not have. */
export function reportHidden(conversion: Conversion, name: string): void {
  conversion.report(
    "PF1203",
    `${conversion.subject} lacks the property '${name}', because TypeScript stops reading properties at any other tag. Move that tag after the last property, or write the type as {{ … }}.`,
  );
}

/** Returns the steps of a name, without the first: `options.items[].name` leads to `items`, to its items and to `name`. */
function pathOf(name: string): string[] {
  return name.replaceAll("[]", ".[]").split(".").slice(1);
}

/**
 * Applies the comment of a property, `@param options.limit - …`, to a copy of the schema of its object. In JavaScript the
 * type already includes the tag's comment; then this checks that the tag has declared its property.
 */
export function applyNestedDoc(
  conversion: Conversion,
  schema: DerivedSchema,
  doc: NamedDoc,
  isTyped: boolean,
): DerivedSchema {
  const path = pathOf(doc.name);
  if (!isTyped) return applyAt(conversion, schema, path, doc);
  const [name = ""] = path;
  const { properties = {} } = conversion.inline({ schema }).schema;
  if (name !== "[]" && !Object.hasOwn(properties, name)) reportHidden(conversion, doc.name);
  return schema;
}

function applyAt(conversion: Conversion, schema: DerivedSchema, path: string[], doc: NamedDoc): DerivedSchema {
  const [name, ...rest] = path;
  if (name === undefined) return applyDoc(conversion, schema, doc);
  const whole = conversion.inline({ schema }).schema;
  if (name === "[]" && whole.items) return { ...whole, items: applyAt(conversion, whole.items, rest, doc) };
  const property = Object.hasOwn(whole.properties ?? {}, name) ? whole.properties?.[name] : undefined;
  if (property === undefined) {
    conversion.report(
      "PF2006",
      `@param ${doc.name} does not match a property of ${conversion.subject}. Correct the name, or remove the tag.`,
    );
    return schema;
  }
  return { ...whole, properties: { ...whole.properties, [name]: applyAt(conversion, property, rest, doc) } };
}

/** Libraries whose schemas have a type helper such as `z.infer<typeof schema>`. */
const SCHEMA_LIBRARIES = new Set(["zod", "valibot", "yup", "superstruct", "io-ts", "@sinclair/typebox", "typebox"]);

/** Reports a parameter whose type is inferred from a schema: lengths, ranges and formats are not part of the type. */
export function reportLostConstraints(conversion: Conversion, node: ts.TypeNode | undefined): void {
  const { checker, origins, subject } = conversion;
  for (const { declarations } of aliasesOf(checker, node)) {
    const library = declarations?.[0] && origins.packageOf(declarations[0].getSourceFile().fileName)?.name;
    if (library === undefined || !SCHEMA_LIBRARIES.has(library)) continue;
    conversion.report(
      "PF2022",
      `${subject} has a type that ${library} infers from a schema, without the constraints of the schema, such as lengths and formats. Pass the schema to defineTool, or write the constraints as tags.`,
    );
    return;
  }
}
