import type { CallResult, ContentBlock, ToolDescription } from "proffer";

/** A tool as a model sees it through a client. */
export interface ModelTool extends ToolDescription {
  /** The name of the tool in the server's list. */
  readonly original: string;
}

/** A schema that the client cannot use; the message says why. */
export class Refusal extends Error {}

/** How a client changes tools and results before its model sees them, as its source code does it. */
export interface Cut {
  /** Returns the names for the model, in the order of the tools. */
  names(server: string, tools: readonly string[]): string[];
  /** @throws {Refusal} for a schema that the client refuses. */
  input(schema: object): object;
  result(result: CallResult, tool: string): readonly ContentBlock[];
}

/** Replaces the values of an object. */
export function mapValues(value: object, change: (item: unknown) => unknown): { [key: string]: unknown } {
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, change(item)]));
}

export function asText(text: string): ContentBlock {
  return { type: "text", text };
}
