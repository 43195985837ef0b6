import type { Call } from "../../calls/call.ts";
import { listHints } from "../../catalog/cache-hints.ts";
import type { Meta, ToolDescription } from "../../protocol/model.ts";
import { convert } from "../../protocol/revisions/revision.ts";
import { SerializedResult, serializeResult } from "../../results/encode.ts";
import { limitBytes } from "./size.ts";

/** Claude Code saves larger results to a file, unless `_meta` of the tool allows more, up to a maximum. */
const KEY = "anthropic/maxResultSizeChars";
const DEFAULT_CHARACTERS = 50_000;
const MAX_CHARACTERS = 500_000;

/** The pages with the sizes: each is serialized once, as those without them are. */
const known = new WeakMap<SerializedResult, SerializedResult>();

/** Adds the limits of tools to a page of their list, where a client would otherwise apply a lower one. */
export function withSizes(call: Call, page: unknown): unknown {
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
    const size = sizeOf(call, tool.name);
    const _meta: Meta = { [KEY]: size, ...tool._meta };
    return size === undefined ? tool : { ...tool, _meta };
  });
  return sized.every((tool, at) => tool === tools[at]) ? result : { ...result, tools: sized };
}

/** The number of characters; undefined if the client allows them anyway. */
function sizeOf({ server }: Call, name: string): number | undefined {
  const max = server.tools.get(name)?.maxResult ?? server.options.maxResult;
  const bytes = max === undefined ? 0 : limitBytes(max);
  return bytes > DEFAULT_CHARACTERS ? Math.min(bytes, MAX_CHARACTERS) : undefined;
}

/** Whether tools of the revision have metadata. */
function hasMeta({ revision }: Call): boolean {
  return "_meta" in convert(revision, "tool", { name: "", inputSchema: {}, _meta: {} });
}
