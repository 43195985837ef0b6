import type { Call } from "../../calls/call.ts";
import { listHints } from "../../catalog/pages.ts";
import type { CallResult, ContentBlock, Meta, ToolDescription } from "../../protocol/model.ts";
import { convert } from "../../protocol/revisions/revision.ts";
import type { Context } from "../../questions/context.ts";
import { defineResource, type Resource } from "../../resources/define.ts";
import { contents, fail, ToolError } from "../../results/content.ts";
import { SerializedResult, serializeResult } from "../../results/encode.ts";
import { failureResult } from "../../results/return-value.ts";
import { compileJsonSchema } from "../../schema/json-schema/compile.ts";
import type { JsonSchemaObject } from "../../schema/json-schema/types.ts";
import type { Feature, Work } from "../../server/feature.ts";
import { whenReady } from "../../support/async.ts";
import { defineTool, type Tool } from "../../tools/define.ts";
import { type Audience, cutResult } from "./cut.ts";
import { ID_LENGTH, MAX_CALLER_BYTES, partsOf, RESULT_URI } from "./parts.ts";
import { type Count, fits, limitBytes, type Noun, type Part } from "./split.ts";

/** The option `maxResult` of servers and tools. */
export const feature: Feature = {
  attach({ tools, resources }) {
    tools.add(more);
    resources.add(remaining);
  },

  /** Around everything that is done for a call: middleware, such as a cache, sees whole results. */
  around(call, work) {
    const { name, uri } = call.params;
    switch (call.method) {
      case "tools/call":
        if (name !== more.name) return limited(call, work);
        calls.set(call.signal, call);
        return work(call);
      case "tools/list":
        return whenReady(work(call), (page) => withSizes(call, page));
      case "resources/read":
        if (typeof uri === "string" && uri.startsWith(RESULT_URI)) calls.set(call.signal, call);
        return work(call);
      default:
        return work(call);
    }
  },
};

function limited(call: Call, work: Work): unknown {
  try {
    const outcome = work(call);
    if (!(outcome instanceof Promise)) return limitOne(call, outcome);
    return outcome.then(
      (result) => limitOne(call, result),
      (error) => limitFailure(call, error),
    );
  } catch (error) {
    return limitFailure(call, error);
  }
}

/** Middleware may throw the failure of a tool. */
function limitFailure(call: Call, error: unknown): unknown {
  if (error instanceof ToolError && maxOf(call, call.params.name as string) < error.message.length * 3)
    return limitOne(call, failureResult(error.message));
  throw error;
}

function limitOne(call: Call, result: unknown): unknown {
  const max = maxOf(call, call.params.name as string);
  if (max === Number.POSITIVE_INFINITY || !isCallResult(result) || isWithin(result, max)) return result;
  return cut(call, result, max);
}

/** The limit of a tool, in bytes. */
function maxOf({ server }: Call, tool: string): number {
  const max = server.tools.get(tool)?.maxResult ?? server.options.maxResult;
  return max === undefined ? Number.POSITIVE_INFINITY : limitBytes(max);
}

/** Not a question, and not a task. */
function isCallResult(result: unknown): result is CallResult {
  return (
    !(result instanceof SerializedResult) &&
    Array.isArray((result as Partial<CallResult>).content) &&
    !("resultType" in (result as object))
  );
}

function isWithin(result: CallResult, max: number): boolean {
  try {
    return fits(result, max);
  } catch {
    // It cannot be serialized, which is reported when it is sent.
    return true;
  }
}

async function cut(call: Call, result: CallResult, max: number): Promise<CallResult> {
  const tool = call.server.tools.get(call.params.name as string) as Tool;
  const made = cutResult(result, max, audienceOf(call, tool));
  if (made === undefined) return result;
  const cursor = made.remainingBytes > MAX_CALLER_BYTES ? undefined : await keep(call, tool, made.remaining);
  const { ways, blocks } = offer(call, cursor);
  const text = firstSentence(made.counts, ways, tool.name, made.isWhole);
  return { ...made.result, content: [...made.result.content, { type: "text", text }, ...blocks] };
}

async function keep(call: Call, tool: Tool, remaining: () => readonly Part[]): Promise<string | undefined> {
  try {
    return await partsOf(call.server).keep(call, tool, remaining());
  } catch (error) {
    // The result is still good without its other parts.
    call.server.logError(call, "The rest of a large result could not be kept", error);
    return undefined;
  }
}

/** The compiled output schemas of tools, by revision. */
const schemas = new WeakMap<Tool, Map<string, Audience["isValid"]>>();

/** The properties of the client of a call that decide how its result is cut. */
function audienceOf(call: Call, tool: Tool): Audience {
  const { revision, client } = call;
  const byRevision = schemas.get(tool) ?? new Map<string, Audience["isValid"]>();
  schemas.set(tool, byRevision);
  if (!byRevision.has(revision.version)) byRevision.set(revision.version, checkOf(call, tool));
  return { isValid: byRevision.get(revision.version), hidesText: client.profile?.structuredOnly ?? false };
}

/** The check of a client that compares structured content with the output schema in its list. */
function checkOf({ revision }: Call, tool: Tool): Audience["isValid"] {
  const { outputSchema } = convert(revision, "tool", tool.description, tool);
  if (outputSchema === undefined) return undefined;
  try {
    return compileJsonSchema(outputSchema as JsonSchemaObject).check;
  } catch {
    // A schema of a library may have keywords that are not supported here: nothing is known to match it.
    return () => false;
  }
}

/** Claude Code saves larger results to a file, unless `_meta` of the tool allows more, up to a maximum. */
const KEY = "anthropic/maxResultSizeChars";
const DEFAULT_CHARACTERS = 50_000;
const MAX_CHARACTERS = 500_000;

/** The pages with the sizes: each is serialized once, as those without them are. */
const known = new WeakMap<SerializedResult, SerializedResult>();

/** Adds the limits of tools to a page of their list, where a client would otherwise apply a lower one. */
function withSizes(call: Call, page: unknown): unknown {
  if (!(page instanceof SerializedResult)) return addSizes(call, page as object);
  const earlier = known.get(page);
  if (earlier !== undefined) return earlier;
  const value = addSizes(call, page.value);
  if (value === page.value) return page;
  const sized = serializeResult(call.server.envelopes, call.revision, value, listHints(call));
  known.set(page, sized);
  return sized;
}

/** Returns the same result if nothing has to be added. */
function addSizes(call: Call, result: object): object {
  const { tools } = result as { readonly tools?: readonly ToolDescription[] };
  if (!Array.isArray(tools) || !hasMeta(call)) return result;
  const sized = tools.map((tool: ToolDescription) => {
    const max = maxOf(call, tool.name);
    // A client allows fewer characters anyway.
    if (max <= DEFAULT_CHARACTERS || max === Number.POSITIVE_INFINITY) return tool;
    const _meta: Meta = { [KEY]: Math.min(max, MAX_CHARACTERS), ...tool._meta };
    return { ...tool, _meta };
  });
  return sized.every((tool, at) => tool === tools[at]) ? result : { ...result, tools: sized };
}

/** Whether tools of the revision have metadata. */
function hasMeta({ revision }: Call): boolean {
  return "_meta" in convert(revision, "tool", { name: "", inputSchema: {}, _meta: {} });
}

/** The calls that look for a part. A context does not reveal its call, but has the same signal. */
const calls = new WeakMap<AbortSignal, Call>();

function callOf({ signal }: Context): Call {
  return calls.get(signal) as Call;
}

/** One text for all: whether a cursor exists is nobody else's business. */
const UNKNOWN = "This cursor is unknown or too old. Call the tool again.";

/** The tool that returns the next part of a result. */
const more = defineTool({
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
    const found = await partsOf(call.server).part(call, cursor);
    if (found === undefined) return fail(UNKNOWN);
    const { part, id, tool } = found;
    const next = part.next === undefined ? undefined : id + part.next;
    const { ways, blocks } = offer(call, next);
    const sentence = partSentence(part.count, ways, tool, next === undefined);
    return { content: [...part.content, { type: "text", text: sentence }, ...blocks] };
  },
}) as Tool;

/** The resource with all that a result lacks. Lists have only its template. */
const remaining: Resource = defineResource({
  uri: `${RESULT_URI}{id}`,
  name: "The rest of a result",
  description: "What a result lacks because it was too large, for 10 minutes. The result has a link to it.",
  mimeType: "text/plain",
  cache: { ttlMs: 0, cacheScope: "private" },
  async read({ id }, ctx) {
    const call = callOf(ctx);
    const texts = await partsOf(call.server).texts(call, id);
    return texts && contents(texts.map((text) => ({ text, mimeType: "text/plain" })));
  },
});

/** Offers the other parts to the caller: by the tool and by a link, as far as they exist for it and its client shows links. */
function offer(
  call: Call,
  cursor: string | undefined,
): { readonly ways: Ways; readonly blocks: readonly ContentBlock[] } {
  if (cursor === undefined) return { ways: {}, blocks: [] };
  const access = call.server.access;
  const { profile } = call.client;
  const isShown = profile?.showsResources !== false && profile?.readsResources !== false;
  const uri = isShown && access?.sees(call, remaining) !== false ? RESULT_URI + cursor.slice(0, ID_LENGTH) : undefined;
  const ways = { cursor: access?.sees(call, more) === false ? undefined : cursor, uri };
  if (uri === undefined) return { ways, blocks: [] };
  const link = convert(call.revision, "block", {
    type: "resource_link",
    uri,
    name: "The rest",
    mimeType: "text/plain",
  } as ContentBlock);
  // On revisions without links it would be a text that repeats the sentence.
  return { ways, blocks: link.type === "resource_link" ? [link] : [] };
}

/** How the caller gets the other parts. */
interface Ways {
  /** Undefined if the caller cannot call `more`, or nothing is kept. */
  readonly cursor?: string | undefined;
  readonly uri?: string | undefined;
}

const SINGULAR: { readonly [Name in Noun]: string } = {
  lines: "line",
  characters: "character",
  items: "item",
  "content blocks": "content block",
};

/** Describes how much a result shows, and how to get the other parts. */
function firstSentence(counts: readonly Count[], ways: Ways, tool: string, isWhole: boolean): string {
  const shown = counts.map(({ noun, to, total }) => `${inWords(to)} of ${inWords(total)} ${noun}`).join(" and ");
  const verb = counts.length === 1 && counts[0]?.to === 1 ? "is" : "are";
  const whole = isWhole ? " The structured content is complete." : "";
  return `${shown === "" ? "" : `${shown} ${verb} shown.`}${whole} ${remedy(ways, tool)}`.trim();
}

/** Describes how much a part shows, and how to get the next one. */
function partSentence({ noun, from, to, total }: Count, ways: Ways, tool: string, isLast: boolean): string {
  const shown =
    from >= to
      ? `${capital(SINGULAR[noun])} ${inWords(from)} of ${inWords(total)} is shown.`
      : `${capital(noun)} ${inWords(from)} to ${inWords(to)} of ${inWords(total)} are shown.`;
  return isLast ? `${shown} This is the last part.` : `${shown} ${remedy(ways, tool)}`;
}

function remedy({ cursor, uri }: Ways, tool: string): string {
  const read = uri === undefined ? undefined : `read ${uri} for all of the rest`;
  if (cursor !== undefined) return `Call more with cursor "${cursor}" for the next part${read ? `, or ${read}` : ""}.`;
  if (read !== undefined) return `${capital(read)}.`;
  return `The rest is not available. Call ${tool} again with arguments that select less.`;
}

function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

function inWords(count: number): string {
  return count.toLocaleString("en-US");
}
