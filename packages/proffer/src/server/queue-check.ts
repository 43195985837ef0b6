import { UsageError } from "../support/usage-error.ts";
import type { ServerState } from "./server.ts";

/** @throws {UsageError} if the nodes of a server share no queue. */
export function checkQueue({ cluster, info }: ServerState): void {
  if (cluster === undefined || cluster.queue !== undefined) return;
  throw new UsageError("bad_option", `Server "${info.name}": a tool with task needs a queue: set cluster.queue.`);
}
