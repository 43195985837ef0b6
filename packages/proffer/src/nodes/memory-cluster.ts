import type { Cluster } from "./cluster.ts";
import { MemoryBus } from "./memory-bus.ts";
import { MemoryQueue } from "./memory-queue.ts";
import { MemorySharedStore } from "./memory-store.ts";

/** Creates what the nodes of a server share if all of them run in this process, as in tests. */
export function memoryCluster(): Required<Cluster> {
  return { store: new MemorySharedStore(), bus: new MemoryBus(), queue: new MemoryQueue() };
}
