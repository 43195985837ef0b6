import type { Cluster } from "../nodes/ports.ts";
import { badOption, UsageError } from "../support/usage-error.ts";
import type { MaxResult } from "../tools/max-result.ts";
import type { ServerState } from "./server.ts";

/** A tool, or the options of a server. */
interface Limited {
  readonly name: string;
  readonly maxResult?: MaxResult | undefined;
}

/** Whether results are cut. @throws {UsageError} for a limit that leaves no room for the sentence about the rest. */
export function checkMaxResult({ name, maxResult }: Limited): boolean {
  if (!maxResult) return false;
  // Exactly one of them.
  if ((maxResult.tokens as number) >= 1000 !== (maxResult.bytes as number) >= 1000) return true;
  throw badOption(`"${name}"`, "maxResult", "{ tokens } or { bytes } from 1000", maxResult);
}

/** @throws {UsageError} if the nodes of a server share no queue. */
export function checkQueue({ cluster, info }: ServerState): void {
  if (cluster === undefined || cluster.queue !== undefined) return;
  throw new UsageError("bad_option", `Server "${info.name}": a tool with task needs a queue: set cluster.queue.`);
}

/** The methods of each port. */
const PORTS: { readonly [Port in keyof Cluster]-?: readonly string[] } = {
  store: ["claim", "count", "read", "change", "remove", "append", "since"],
  bus: ["publish", "subscribe"],
  queue: ["push", "work"],
};

/** Checks the option `cluster` before a server is served. @throws {UsageError} that names what is missing. */
export function checkCluster({ cluster, info }: ServerState): void {
  for (const [port, methods] of Object.entries(PORTS)) {
    const given: Record<string, unknown> | undefined = (cluster as never)?.[port];
    if (given === undefined && port === "queue") continue;
    const missing = methods.find((method) => typeof given?.[method] !== "function");
    if (missing !== undefined)
      throw new UsageError("bad_option", `Server "${info.name}": cluster.${port} must have the method ${missing}.`);
  }
}
