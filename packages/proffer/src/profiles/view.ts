import type { CallResult, ContentBlock, ToolDescription } from "../protocol/model.ts";
import type { ModelTool } from "./cuts/cut.ts";
import { cutOf } from "./find.ts";
import { findLosses } from "./losses.ts";
import type { Profile } from "./profile.ts";

/** Returns the tools as the model sees them after the client's own cuts, without those that the client leaves out. */
export function toolsSeenBy(profile: Profile, server: string, tools: readonly ToolDescription[]): ModelTool[] {
  const cut = cutOf(profile);
  const losses = findLosses(profile, server, tools);
  const gone = new Set(
    losses.filter(({ effect }) => effect === "omits" || effect === "refuses").map((loss) => loss.tool),
  );
  const names = cut.names(
    server,
    tools.map((tool) => tool.name),
  );
  const { maxDescription } = profile.schemas?.value ?? {};
  return tools.flatMap(({ description, ...tool }, i) => {
    if (gone.has(tool.name)) return [];
    const shown = description?.slice(0, maxDescription);
    const name = names[i] ?? tool.name;
    const inputSchema = cut.input(tool.inputSchema);
    return [{ ...tool, ...(shown !== undefined && { description: shown }), name, inputSchema, original: tool.name }];
  });
}

/** Returns the content of a result that reaches the model. */
export function resultSeenBy(profile: Profile, result: CallResult, tool: string): readonly ContentBlock[] {
  return cutOf(profile).result(result, tool);
}
