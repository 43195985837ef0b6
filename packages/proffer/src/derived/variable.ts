import { createParam, type Param, ParamIssue } from "../resources/params/param.ts";
import { ANY_TEXT } from "../resources/params/path.ts";
import type { JsonSchema } from "../schema/json-schema/types.ts";
import { compileLater } from "./lazy-schema.ts";
import type { ManifestVariable } from "./manifest.ts";

type Read = (text: string) => unknown;

/** What a URI writes as text, as the type that the author's function has for it. What cannot be read stays text. */
const READERS: { readonly [Type in ManifestVariable["type"]]: Read } = {
  string: (text) => text,
  number: (text) => (/^-?\d+(\.\d+)?([eE][+-]?\d+)?$/.test(text) ? Number(text) : text),
  integer: (text) => (/^-?\d+$/.test(text) ? Number(text) : text),
  boolean: (text) => (text === "true" ? true : text === "false" ? false : text),
  list: (text) => text,
};

/**
 * How the text of a template's variable is read and checked; of a list, each item. One that is left out is for the
 * author's default. In a path, text must not lead out of where it stands, whatever the schema says.
 */
export function variableParam(variable: ManifestVariable, isInPath: boolean): Param {
  const { schema, type } = variable;
  const compiled = compileLater(type === "list" ? ((schema.items ?? true) as JsonSchema) : schema);
  const read = READERS[type];
  return createParam<unknown>({}, (text) => {
    const screened = isInPath ? ANY_TEXT.check(text) : text;
    if (screened instanceof ParamIssue) return screened;
    const value = read(text);
    if (compiled().check(value)) return value;
    return new ParamIssue(
      "schema",
      compiled()
        .issues(value)
        .map(({ message }) => message)
        .join("; "),
    );
  });
}
