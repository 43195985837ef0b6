import { createParam, type Param, ParamIssue } from "../resources/params/param.ts";
import { ANY_TEXT } from "../resources/params/path.ts";
import type { CompiledSchema, JsonSchema } from "../schema/json-schema/types.ts";
import { whenReady } from "../support/async.ts";
import { compileLazily } from "./lazy-schema.ts";
import type { ManifestVariable } from "./manifest.ts";

type Read = (text: string) => unknown;

/** Converts URI text to the type of the author's parameter. Invalid text stays text, and the schema rejects it. */
const READERS: { readonly [Type in ManifestVariable["type"]]: Read } = {
  string: (text) => text,
  number: (text) => (/^-?\d+(\.\d+)?([eE][+-]?\d+)?$/.test(text) ? Number(text) : text),
  integer: (text) => (/^-?\d+$/.test(text) ? Number(text) : text),
  boolean: (text) => (text === "true" ? true : text === "false" ? false : text),
  list: (text) => text,
};

/**
 * Creates the parameter for a template variable: converts and validates the text, or each item of a list. The author's
 * default applies to an omitted variable. In a path, dot segments are rejected regardless of the schema.
 */
export function variableParam(variable: ManifestVariable, isInPath: boolean): Param {
  const { schema, type } = variable;
  const compiled = compileLazily(type === "list" ? ((schema.items ?? true) as JsonSchema) : schema);
  const read = READERS[type];
  return createParam<unknown>(
    {},
    (text) => {
      const screened = isInPath ? ANY_TEXT.check(text) : text;
      if (screened instanceof ParamIssue) return screened;
      return whenReady(compiled(), (ready) => check(ready, read(text)));
    },
    schema,
  );
}

function check(schema: CompiledSchema, value: unknown): unknown {
  if (schema.check(value)) return value;
  const problems = schema.issues(value).map(({ message }) => message);
  return new ParamIssue("schema", problems.join("; "));
}
