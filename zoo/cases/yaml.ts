import { parse, parseDocument, stringify, type YAMLError, type YAMLParseError } from "yaml";
import { gives } from "../expect.ts";

/** Reads settings. */
export function read(text: string): { port: number; hosts: string[]; since?: Date } {
  return parse(text, { schema: "yaml-1.1" });
}
gives(read, ["port: 5\nhosts: [a, b]\nsince: 2026-01-01"], {
  port: 5,
  hosts: ["a", "b"],
  since: "2026-01-01T00:00:00.000Z",
});

/** Reads a map. */
export function map(text: string): Map<string, number> {
  return parse(text, { mapAsMap: true });
}
gives(map, ["a: 1"], { a: 1 });

/** Checks a document. */
export function check(text: string): Pick<YAMLError, "code" | "pos" | "message">[] {
  return parseDocument(text, { prettyErrors: false }).errors.map(({ code, pos, message }) => ({ code, pos, message }));
}
gives(check, ["a: [1"]);

/** Lists errors. */
export async function errors(text: string): Promise<YAMLParseError[]> {
  return parseDocument(text, { prettyErrors: false }).errors;
}
gives(
  errors,
  ["a: b: c"],
  [{ name: "YAMLParseError", message: "Nested mappings are not allowed in compact mappings" }],
);

/** Writes settings. */
export function write(settings: { port: number; tags: Set<string> }): string {
  return stringify({ ...settings, tags: [...settings.tags] });
}
gives(write, [{ port: 5, tags: new Set(["a"]) }], "port: 5\ntags:\n  - a\n");
