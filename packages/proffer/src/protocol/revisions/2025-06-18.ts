import type { JsonObject } from "../messages.ts";
import { REV_2025_11_25 } from "./2025-11-25.ts";
import { chain, type Revision, without } from "./revision.ts";

/** Converts a form: no lists, titles of choices only in `enumNames`, defaults only for booleans. */
function olderForm(form: unknown): object {
  const { properties, ...rest } = form as { properties: { readonly [name: string]: JsonObject } };
  return {
    ...rest,
    properties: Object.fromEntries(Object.entries(properties).map(([name, field]) => [name, olderField(field)])),
  };
}

function olderField(field: JsonObject): JsonObject {
  const { default: defaultValue, oneOf, items, minItems: _, maxItems: __, ...rest } = field;
  const plain = field.type === "boolean" ? field : rest;
  if (Array.isArray(oneOf)) {
    const choices = oneOf as readonly { const: string; title?: string }[];
    return {
      ...plain,
      enum: choices.map((each) => each.const),
      enumNames: choices.map((each) => each.title ?? each.const),
    };
  }
  if (field.type !== "array") return plain;
  const { enum: plainChoices, anyOf } = items as { enum?: readonly string[]; anyOf?: readonly { const: string }[] };
  const choices = plainChoices ?? anyOf?.map((each) => each.const) ?? [];
  const hint = `Any of ${choices.join(", ")}, separated by commas.`;
  return {
    ...rest,
    type: "string",
    description: rest.description === undefined ? hint : `${String(rest.description)} ${hint}`,
  };
}

const dropIcons = <Value extends object>(value: Value): Value => without(value, "icons");

/** No icons and no questions with a URL; an implementation has only name, title and version; errors for unreadable requests have the id `null`. */
export const REV_2025_06_18: Revision = {
  ...REV_2025_11_25,
  version: "2025-06-18",
  primed: false,
  unreadableId: null,
  urlQuestions: false,
  convert: chain(REV_2025_11_25.convert, {
    implementation: (value) => without(value, "icons", "description", "websiteUrl"),
    tool: dropIcons,
    prompt: dropIcons,
    resource: dropIcons,
    template: dropIcons,
    block: dropIcons,
    elicitation: ({ mode: _, requestedSchema, ...params }) => ({
      ...params,
      requestedSchema: olderForm(requestedSchema),
    }),
  }),
};
