import type { Feature } from "../server/feature.ts";
import { addReadinessCheck } from "../server/readiness.ts";
import type { ServerState } from "../server/server.ts";
import { ClusterNode } from "./node.ts";
import type { Cluster } from "./ports.ts";

/** The nodes of this process, by their servers. */
const nodes = new WeakMap<ServerState, ClusterNode>();

/** The option `cluster`: the server is one of several nodes, which share changes, sessions and tasks. */
export const feature: Feature = {
  attach(server) {
    nodes.set(server, new ClusterNode(server, server.cluster as Cluster));
  },

  open(server) {
    const node = nodes.get(server);
    if (node === undefined) return;
    node.join();
    addReadinessCheck(server, "store", () => node.storeWorks());
    if (server.cluster?.queue !== undefined) addReadinessCheck(server, "queue", () => node.queueWorks());
  },

  notified(server, changed) {
    nodes.get(server)?.changed(changed);
  },

  async close(server) {
    await nodes.get(server)?.leave();
  },

  loadHttp: () => import("./sessions/http-feature.ts"),
};
