import type { Resource } from "../../resources/define.ts";
import { ToolError } from "../../results/content.ts";
import type { Expandable } from "../../uri/expand.ts";
import { TemplateError } from "../../uri/parse.ts";
import type { Template } from "../../uri/template.ts";

type Arguments = Readonly<Record<string, Expandable>>;

/**
 * Writes arguments as a URI of a template. Read again, the URI must have the same values: in `{+path}`, an argument could
 * contain a query, and so values that nobody asked for. @throws {ToolError} otherwise.
 */
export function expandArguments({ template, rules, uri: text }: Resource, given: Arguments): string {
  const parsed = template as Template;
  try {
    const expanded = parsed.expand(given);
    // Where URIs are not decoded, the text of a value is written as it is.
    const uri = rules.match.decode === false ? decodeURIComponent(expanded) : expanded;
    const read = parsed.match(uri, rules.match);
    // A URI that does not match at all is refused by the resource, with its own message.
    if (read === undefined || isSame(read.values, given, read.unknown.size + read.faults.length)) return uri;
  } catch (error) {
    if (error instanceof TemplateError) throw new ToolError(error.message);
    if (!(error instanceof URIError)) throw error;
  }
  throw new ToolError(
    `The arguments cannot be written as a URI of ${text}. Pass plain text, without "?", "#" and "%".`,
  );
}

function isSame(values: Readonly<Record<string, unknown>>, given: Arguments, defects: number): boolean {
  const names = new Set([...Object.keys(values), ...Object.keys(given)]);
  return defects === 0 && [...names].every((name) => textOf(values, name) === textOf(given, name));
}

/** Absent values, empty lists and null are the same: none of them is part of a URI. */
function textOf(values: Readonly<Record<string, unknown>>, name: string): string | undefined {
  const value = Object.hasOwn(values, name) ? values[name] : undefined;
  if (Array.isArray(value)) return value.length === 0 ? undefined : JSON.stringify(value.map(String));
  return value === undefined || value === null ? undefined : String(value);
}
