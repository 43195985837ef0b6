import type { Choice } from "../features/toolsets/choice.ts";
import { type Server, type ServerState, stateOf } from "./server.ts";

/**
 * Prepares a server with the option `toolsets` for its first request; undefined if it needs nothing. Every transport
 * calls it, because some items may be hidden. @throws {UsageError} for toolsets that do not fit the items.
 */
export function prepareToolsets(server: ServerState): Promise<void> | undefined {
  if (server.options.toolsets === undefined) return undefined;
  return import("../features/toolsets/select.ts").then(({ selectOnce }) => selectOnce(server));
}

/** Applies the choice of the person who starts servers. @throws {UsageError} for names that no server has. */
export async function chooseItems(servers: readonly Server[], choice: Choice): Promise<void> {
  const { select } = await import("../features/toolsets/select.ts");
  select(servers.map(stateOf), choice);
}

/** Shows every toolset of a server, also those with `default: false`: for commands of its author. */
export async function showAllToolsets(server: Server): Promise<void> {
  if (stateOf(server).options.toolsets === undefined) return;
  await chooseItems([server], { toolsets: { names: ["all"], origin: "all" } });
}

/** Reads which toolsets a request asks for; undefined if it does not. @throws {RpcError} for an invalid query. */
export async function readToolsets(server: ServerState, query: string): Promise<ReadonlySet<string> | undefined> {
  const { parseToolsets } = await import("../features/toolsets/query.ts");
  return parseToolsets(server, query);
}
