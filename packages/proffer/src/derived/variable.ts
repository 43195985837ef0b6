import { compileJsonSchema } from "../server/json-schema/compile.ts";
import type { StandardSchema } from "../server/standard-schema.ts";
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

/** How the text of a template's variable is read and checked. */
export function variableSchema(variable: ManifestVariable): StandardSchema<unknown, unknown> {
  const compiled = compileJsonSchema(variable.schema);
  const read = READERS[variable.type];
  return {
    "~standard": {
      version: 1,
      vendor: "proffer",
      validate: (text) => {
        const value = typeof text === "string" ? read(text) : text;
        if (compiled.check(value)) return { value };
        return { issues: compiled.issues(value).map(({ message }) => ({ message })) };
      },
    },
  };
}
