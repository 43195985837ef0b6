import type { Call } from "../../calls/call.ts";
import { limitHook } from "../../calls/timeout.ts";
import { type List, page } from "../../catalog/pages.ts";
import type { ResourceDescription } from "../../protocol/model.ts";
import type { Resource } from "../../resources/define.ts";
import { RESOURCES } from "../../resources/methods.ts";
import { lazyPage } from "../../resources/pages.ts";
import { InnerCall } from "./inner-call.ts";
import { runInner } from "./run-inner.ts";

/** One page of resources, for a model: `arguments` are those of the tool that reads the resource. */
export interface ListedResources {
  readonly resources: readonly object[];
  readonly nextCursor?: string;
}

/** Before the entries of one template come no others. It has its own name, so that it shares no page and no cursor. */
const NONE: List<Resource> = { name: "resources of a template", entries: () => [], describe: RESOURCES.describe };

/** Lists the resources of a template on behalf of a tool. */
export async function listByTool(call: Call, resource: Resource, cursor: unknown): Promise<ListedResources> {
  const sources = call.server.resources.sources.filter(({ item }) => item === resource);
  const handler = (inner: Call) => limitHook(inner, lazyPage(inner, NONE, sources));
  return toListed(await runInner(innerList(call, cursor), handler), resource);
}

/** Lists the resources with a single URI on behalf of a tool. */
export async function listFixedByTool(call: Call, cursor: unknown): Promise<ListedResources> {
  return toListed(await runInner(innerList(call, cursor), (inner) => page(inner, RESOURCES)));
}

function innerList(call: Call, cursor: unknown): InnerCall {
  return new InnerCall(call, "resources/list", cursor === undefined ? {} : { cursor });
}

function toListed(result: object, resource?: Resource): ListedResources {
  const { resources = [], nextCursor } = result as { resources?: ResourceDescription[]; nextCursor?: string };
  const listed = resources.map(({ uri, name, description, mimeType }) => {
    const values = resource?.template?.match(uri, resource.rules.match)?.values;
    return {
      uri,
      name,
      ...(description !== undefined && { description }),
      ...(mimeType !== undefined && { mimeType }),
      ...(values !== undefined && { arguments: values }),
    };
  });
  return { resources: listed, ...(nextCursor !== undefined && { nextCursor }) };
}
