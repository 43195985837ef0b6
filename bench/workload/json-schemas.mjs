// schemas.mjs as zod 4 converts it, so that every server lists the same schemas and makes the same checks.

const draft = { $schema: "https://json-schema.org/draft/2020-12/schema" };

/** The arguments of each kind of tool in JSON Schema. */
export const JSON_SCHEMAS = {
  echo: { ...draft, ...object({ message: { type: "string" } }) },
  nested: {
    ...draft,
    ...object({
      items: list(
        object({
          id: { type: "integer", minimum: Number.MIN_SAFE_INTEGER, maximum: Number.MAX_SAFE_INTEGER },
          name: { type: "string" },
          tags: list({ type: "string" }),
          pos: object({ x: { type: "number" }, y: { type: "number" } }),
          active: { type: "boolean" },
        }),
      ),
    }),
  },
  dialogue: { ...draft, ...object({}) },
  touch: { ...draft, ...object({}) },
};

/** The form of each question of a dialogue. */
export const QUESTION_SCHEMA = {
  type: "object",
  properties: { value: { type: "string" } },
  required: ["value"],
};

function object(properties) {
  const names = Object.keys(properties);
  return { type: "object", properties, ...(names.length > 0 && { required: names }), additionalProperties: false };
}

function list(items) {
  return { type: "array", items };
}
