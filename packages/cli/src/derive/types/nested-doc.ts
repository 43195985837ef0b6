import { applyDoc } from "../comments/constraints.ts";
import type { NamedDoc } from "../comments/doc-comment.ts";
import type { Conversion } from "../model/conversion.ts";
import type { JsonSchema } from "../model/json-schema.ts";

/** Why JavaScript's way to declare properties by tags may lose some. */
const HIDDEN =
  "TypeScript stops reading them at another tag: put that after the last one, or write the type as {{ … }}";

/** Says that a property was declared by a tag in JavaScript, but is not part of the type. */
export function reportHidden(conversion: Conversion, name: string): void {
  conversion.report("PF1203", `${conversion.subject} has lost the property '${name}'; ${HIDDEN}.`);
}

/** Applies the comment of a property, `@param options.limit - …`, to a copy of the schema of what has it. */
export function applyNestedDoc(conversion: Conversion, schema: JsonSchema, doc: NamedDoc): JsonSchema {
  const [, ...path] = doc.name.split(".");
  return applyAt(conversion, schema, path, doc);
}

/** In JavaScript such a tag declares the property, which has its comment from there; it only has to be there. */
export function checkNestedDoc(conversion: Conversion, schema: JsonSchema, doc: NamedDoc): void {
  const [, name = ""] = doc.name.split(".");
  const { properties = {} } = conversion.inline({ schema }).schema;
  if (!Object.hasOwn(properties, name)) reportHidden(conversion, doc.name);
}

function applyAt(conversion: Conversion, schema: JsonSchema, path: string[], doc: NamedDoc): JsonSchema {
  const [name, ...rest] = path;
  if (name === undefined) return applyDoc(conversion, schema, doc);
  const whole = conversion.inline({ schema }).schema;
  const property = Object.hasOwn(whole.properties ?? {}, name) ? whole.properties?.[name] : undefined;
  if (property === undefined) {
    conversion.report("PF2006", `${conversion.subject} has no property that @param ${doc.name} could describe.`);
    return schema;
  }
  return { ...whole, properties: { ...whole.properties, [name]: applyAt(conversion, property, rest, doc) } };
}
