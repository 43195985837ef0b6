import { Lifespan, notStarted, type Release } from "../../server/lifespan.ts";
import { type Server, stateOf } from "../../server/server.ts";

/** The lifespan of a server that is only described: neither `onStart` nor a feature begins, and nothing is called. */
class Unstarted extends Lifespan {
  override open(): Release {
    return async () => {};
  }

  override start(): Promise<void> {
    return Promise.resolve();
  }

  override async wait(): Promise<void> {
    throw notStarted("unavailable");
  }
}

/**
 * Lets servers answer the handshake and requests for lists only, and imports their module first, because whoever reads the
 * lists also wants to know that it can be imported.
 */
export async function describe(servers: readonly Server[], load?: () => Promise<unknown>): Promise<void> {
  for (const server of servers) {
    const state = stateOf(server);
    state.lifespan = new Unstarted(state);
  }
  await load?.();
}
