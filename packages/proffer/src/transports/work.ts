import { requireLifespan } from "../server/lifespan.ts";
import { type Server, stateOf } from "../server/server.ts";
import type { HttpService } from "./http/node/server.ts";

/** Something that runs until it is closed. */
export type Work = Pick<HttpService, "ready" | "close">;

/** Milliseconds in which a node that only works hands over its tasks. */
const DRAIN_TIMEOUT = 5000;

/** Runs a server without a transport: it works on tasks. */
export function startWork(server: Server): Work {
  const lifespan = requireLifespan(stateOf(server));
  const release = lifespan.open();
  // Only a signal ends the process, also if no connection keeps it alive at the moment.
  const timer = setInterval(() => {}, 2 ** 30);
  return {
    ready: () => lifespan.start(),
    close: async (drainTimeout = DRAIN_TIMEOUT) => {
      lifespan.drain(release, drainTimeout);
      await release(drainTimeout);
      clearInterval(timer);
    },
  };
}
