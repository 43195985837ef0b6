import type { MissingTool } from "../features/resource-tools/names.ts";
import { type Server, stateOf } from "../server/server.ts";

/** Finds the resources that cannot be tools for clients that need it, and says why. */
export async function findMissingTools(server: Server): Promise<readonly MissingTool[]> {
  const loaded = await import("../features/resource-tools/prepare.ts");
  return loaded.findMissingTools(stateOf(server));
}
