import type { Bus } from "./bus.ts";
import type { Queue } from "./queue.ts";
import type { SharedStore } from "./store.ts";

/** What the nodes of one server share. */
export interface Cluster {
  readonly store: SharedStore;
  readonly bus: Bus;
  /** Needed for tools with `task`. */
  readonly queue?: Queue;
}
