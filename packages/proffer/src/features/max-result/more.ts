import type { Call } from "../../calls/call.ts";
import type { Context } from "../../questions/context.ts";
import { defineResource, type Resource } from "../../resources/define.ts";
import { contents, fail } from "../../results/content.ts";
import { defineTool, type Tool } from "../../tools/define.ts";
import { type Added, offerRest, REST_URI } from "./offers.ts";
import { type KeptPart, restsOf } from "./rests.ts";
import { partSentence } from "./sentence.ts";
import { textOf } from "./size.ts";

/** One text for all: whether a cursor exists is nobody else's business. */
const UNKNOWN = "This cursor is unknown or too old. Call the tool again.";

/** The call of a context, which does not show it to authors. */
export type FindCall = (ctx: Context) => Call;

/** The tool that returns the next part of a result. */
export function defineMore(callOf: FindCall, added: () => Added): Tool {
  return defineTool({
    name: "more",
    title: "More of a result",
    description:
      "Returns the next part of a result that was too large. The sentence at the end of the result has the cursor.",
    annotations: { readOnlyHint: true, idempotentHint: true, openWorldHint: false },
    input: {
      type: "object",
      properties: { cursor: { type: "string", description: "the cursor in the sentence, unchanged", maxLength: 64 } },
      required: ["cursor"],
      additionalProperties: false,
    } as const,
    async handle({ cursor }, ctx) {
      const call = callOf(ctx);
      const found = await restsOf(call.server).part(call, cursor);
      if (found === undefined) return fail(UNKNOWN);
      const { part, id, tool } = found;
      const next = part.next === undefined ? undefined : id + part.next;
      const { ways, blocks } = offerRest(call, next, added());
      const sentence = partSentence(part.count, ways, tool, next === undefined);
      return { content: [...part.content, { type: "text", text: sentence }, ...blocks] };
    },
  }) as Tool;
}

/** The resource with all that a result lacks. Lists have only its template. */
export function defineRest(callOf: FindCall): Resource {
  return defineResource({
    uri: `${REST_URI}{id}`,
    name: "The rest of a result",
    description: "What a result lacks because it was too large, for 10 minutes. The result has a link to it.",
    mimeType: "text/plain",
    cache: { ttlMs: 0, cacheScope: "private" },
    async read({ id }, ctx) {
      const call = callOf(ctx);
      const parts = await restsOf(call.server).all(call, id);
      return parts && contents(joined(parts).map((text) => ({ text, mimeType: "text/plain" })));
    },
  });
}

/** The texts of a rest: those that were split are whole again. */
function joined(parts: readonly KeptPart[]): string[] {
  const texts: string[] = [];
  for (const { content, continues, count } of parts) {
    for (const [at, block] of content.entries()) {
      const text = textOf(block) ?? JSON.stringify(block);
      const last = texts.at(-1);
      const isArray = count.noun === "items" && last !== undefined && count.from > 1;
      if (last === undefined || at > 0 || !(continues || isArray)) texts.push(text);
      else texts[texts.length - 1] = isArray ? `${last.slice(0, -1)},${text.slice(1)}` : last + text;
    }
  }
  return texts;
}
