import type { Entry } from "../../catalog/registry.ts";
import type { Resource } from "../../resources/define.ts";
import type { ServerState } from "../../server/server.ts";
import { type MissingTool, Names, nameOf } from "./names.ts";
import {
  createFixedListTool,
  createFixedReadTool,
  createListTool,
  createReadTool,
  MAX_CHOICES,
  type ResourceTool,
} from "./resource-tool.ts";

/** The positions of these tools in lists: after those of any tool that the author adds. */
const FIRST = 2 ** 40;

/**
 * Creates the tools that read the resources of a server. Those for every client get their names first, so that these do
 * not depend on the others.
 */
export function createResourceTools(
  server: ServerState,
  onMissing: (missing: MissingTool) => void,
): readonly ResourceTool[] {
  const names = new Names(server, onMissing);
  const entries = server.resources.entries();
  const tools = entries.filter(({ item }) => item.tool).flatMap((entry) => toolsOf(names, entry));
  if (server.options.resourceTools !== "never") {
    const others = entries.filter(({ item }) => !item.tool);
    const fixed = others.filter(({ item }) => item.template === undefined).map(({ item }) => item);
    tools.push(...fixedTools(names, fixed));
    tools.push(...others.filter(({ item }) => item.template !== undefined).flatMap((entry) => toolsOf(names, entry)));
  }
  return tools.sort((a, b) => a.position - b.position);
}

/** The tools of one resource: one reads it, and one lists its instances if it can. */
function toolsOf(names: Names, { item: resource, position }: Entry<Resource>): ResourceTool[] {
  const isForAll = resource.tool;
  const word = nameOf(resource.name, resource.uri);
  const name = names.claim(resource, [word, `read_${word}`]);
  if (name === undefined) return [];
  const tool = createReadTool({ name, isForAll, position: FIRST + 2 * position }, resource);
  const list = resource.list && names.claim(resource, [`list_${word}`, `list_${word}_resources`]);
  if (list === undefined) return [tool];
  return [tool, createListTool({ name: list, isForAll, position: FIRST + 2 * position + 1 }, resource, name)];
}

/** The tool that all resources with a single URI share, and one that lists them if they are many. */
function fixedTools(names: Names, resources: readonly Resource[]): ResourceTool[] {
  const [first] = resources;
  if (first === undefined) return [];
  const name = names.claim(first, ["read_resource", "read_fixed_resource"]);
  if (name === undefined) return [];
  const isMany = resources.length > MAX_CHOICES;
  const list = isMany ? names.claim(first, ["list_resources", "list_fixed_resources"]) : undefined;
  const tool = createFixedReadTool({ name, isForAll: false, position: FIRST - 2 }, resources, list);
  if (list === undefined) return [tool];
  return [tool, createFixedListTool({ name: list, isForAll: false, position: FIRST - 1 }, resources)];
}
