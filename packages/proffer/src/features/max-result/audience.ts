import type { Call } from "../../calls/call.ts";
import { convert } from "../../protocol/revisions/revision.ts";
import { compileJsonSchema } from "../../schema/json-schema/compile.ts";
import type { JsonSchemaObject } from "../../schema/json-schema/types.ts";
import type { Tool } from "../../tools/define.ts";
import type { Audience } from "./document.ts";

/** The compiled output schemas of tools, by revision. */
const schemas = new WeakMap<Tool, Map<string, Audience["isValid"]>>();

/** What is known about the client of a call. */
export function audienceOf(call: Call, tool: Tool): Audience {
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
