import type { ClusterNode } from "../nodes/node.ts";
import type { Cluster } from "../nodes/ports.ts";
import { UsageError } from "../support/usage-error.ts";
import type { ServerState } from "./server.ts";

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

/** Uses the node of a server that has a cluster, now or once its code is loaded. */
export function withNode(server: ServerState, use: (node: ClusterNode) => void): void {
  if (server.node !== undefined) use(server.node);
  else void import("../nodes/node.ts").then(({ nodeOf }) => use(nodeOf(server)));
}
