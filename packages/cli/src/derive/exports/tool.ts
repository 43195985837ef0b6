import type { Binding, ManifestTool } from "proffer/derived";
import type { DocTag } from "../comments/comment.ts";
import type { FunctionDoc } from "../comments/function-doc.ts";
import { withDeprecation } from "../comments/keywords.ts";
import type { Entry } from "../comments/tag.ts";
import type { Json } from "../model/json-schema.ts";
import type { Candidate } from "./exports.ts";
import { deriveInput, type Input } from "./input.ts";
import { deriveOutput, type Output } from "./result.ts";
import type { Session } from "./session.ts";

/** Describes a function as a tool; undefined if there were errors. */
export function deriveTool(
  session: Session,
  candidate: Candidate,
  doc: FunctionDoc,
  entry: Entry,
): ManifestTool | undefined {
  const input = deriveInput(session, candidate, doc);
  const output = deriveOutput(session, candidate, doc, { wholeResults: true, closed: entry.closed === true });
  if (input.isBroken || output.isBroken) return undefined;
  const { shown, examples } = readExamples(doc);
  return {
    name: candidate.name,
    ...describe(doc, entry, shown),
    inputSchema: examples.length > 0 ? { ...input.schema, examples } : input.schema,
    ...(output.schema && { outputSchema: output.schema }),
    ...(input.paramScopes && { paramScopes: input.paramScopes }),
    binding: bind(candidate, input, output),
  };
}

/** Returns how the run-time calls a function. */
export function bind({ path }: Candidate, input: Input, output: Output): Binding {
  return {
    path,
    parameters: input.parameters,
    ...(input.codec && { decode: input.codec }),
    result: output.bound,
  };
}

/** Returns the members of a manifest entry that come from the comment. `more` are further paragraphs. */
export function describe(
  doc: FunctionDoc,
  { title, ...entry }: Entry,
  more: string[] = [],
): Entry & { description?: string; deprecated?: string | true } {
  const remarks = doc.tags.filter(({ name }) => name === "remarks").map(({ text }) => text);
  const deprecated = tagText(doc.tags, "deprecated");
  const text = [doc.text, ...remarks, ...more].filter(Boolean).join("\n\n");
  const description = deprecated === undefined ? text : withDeprecation(text, deprecated);
  return {
    ...(title && { title }),
    ...(description && { description }),
    ...entry,
    ...(deprecated !== undefined && { deprecated: deprecated || (true as const) }),
  };
}

/** Returns the text of the first tag with this name; empty if it has no text, undefined if there is no such tag. */
export function tagText(tags: readonly DocTag[], name: string): string | undefined {
  return tags.find((tag) => tag.name === name)?.text;
}

/** Splits the examples: a JSON object is an example of the arguments and goes to the schema, other text is shown. */
function readExamples(doc: FunctionDoc): { shown: string[]; examples: Json[] } {
  const shown: string[] = [];
  const examples: Json[] = [];
  for (const { name, text } of doc.tags) {
    if (name !== "example" || text === "") continue;
    const value = parseObject(text);
    if (value === undefined) shown.push(`Example:\n${text}`);
    else examples.push(value);
  }
  return { shown, examples };
}

function parseObject(text: string): Json | undefined {
  try {
    const value: Json = JSON.parse(text);
    return typeof value === "object" && value !== null && !Array.isArray(value) ? value : undefined;
  } catch {
    return undefined;
  }
}
