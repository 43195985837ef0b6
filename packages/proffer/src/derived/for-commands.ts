/** Functions that only commands use, not servers: their code is loaded when they are called. */
import type { MissingTool } from "../features/resource-tools/names.ts";
import type { Choice } from "../features/toolsets/choice.ts";
import { type Server, stateOf } from "../server/server.ts";

/** Applies the choice of the person who starts servers. @throws {UsageError} for names that no server has. */
export async function chooseItems(servers: readonly Server[], choice: Choice): Promise<void> {
  return (await import("../features/toolsets/feature.ts")).chooseItems(servers.map(stateOf), choice);
}

/** Shows every toolset of a server, also those with `default: false`. */
export async function showAllToolsets(server: Server): Promise<void> {
  return (await import("../features/toolsets/feature.ts")).showAllToolsets(stateOf(server));
}

/** Finds the resources that cannot be tools for clients that need it, and says why. */
export async function findMissingTools(server: Server): Promise<readonly MissingTool[]> {
  return (await import("../features/resource-tools/feature.ts")).findMissingTools(stateOf(server));
}
