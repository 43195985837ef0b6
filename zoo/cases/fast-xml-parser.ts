import { type ValidationError, XMLBuilder, XMLParser, XMLValidator } from "fast-xml-parser";
import { gives } from "../expect.ts";

/** Parses XML. */
export function parse(text: string): Record<string, unknown> {
  return new XMLParser({ ignoreAttributes: false }).parse(text);
}
gives(parse, ['<a b="1"><c>5</c><c>x</c></a>'], { a: { c: [5, "x"], "@_b": "1" } });

/** Validates XML. */
export function validate(text: string): true | ValidationError {
  return XMLValidator.validate(text);
}
gives(validate, ["<a></a>"], true);
gives(validate, ["<a>"]);

/** Writes XML. */
export function write(value: Record<string, string>): string {
  return new XMLBuilder().build(value);
}
gives(write, [{ a: "x" }], "<a>x</a>");
