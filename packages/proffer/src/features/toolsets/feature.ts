import type { Feature } from "../../server/feature.ts";
import type { ServerState } from "../../server/server.ts";
import type { Choice } from "./choice.ts";
import { select, selectOnce } from "./select.ts";

/** The option `toolsets`, and `?toolsets=`: which items exist for a request. */
export const feature: Feature = { attach: selectOnce };

/** Applies the choice of the person who starts servers. @throws {UsageError} for names that no server has. */
export async function chooseItems(servers: readonly ServerState[], choice: Choice): Promise<void> {
  // Features may add items.
  await Promise.all(servers.map(({ features }) => features.loading));
  select(servers, choice);
}

/** Shows every toolset of a server, also those with `default: false`: for commands of its author. */
export async function showAllToolsets(server: ServerState): Promise<void> {
  if (server.options.toolsets !== undefined)
    await chooseItems([server], { toolsets: { names: ["all"], origin: "all" } });
}
