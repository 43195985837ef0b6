import { lifespanOf } from "../server/lifespan.ts";
import { type Server, stateOf } from "../server/server.ts";
import { prepareToolsets } from "../server/toolsets.ts";

/** A server that runs without a transport of its own, behind another server. */
export interface HeldServer {
  /** Prepares its toolsets and runs `onStart`. @throws {Error} with the reason if one fails. */
  start(): Promise<void>;
  /** Runs `onStop` if the server has started. Never rejects. */
  stop(): Promise<void>;
}

/** Counts as a transport of the server until `stop` is called. */
export function holdServer(server: Server): HeldServer {
  const state = stateOf(server);
  const lifespan = lifespanOf(state);
  const release = lifespan?.open();
  return {
    async start() {
      await prepareToolsets(state);
      await lifespan?.start();
    },
    async stop() {
      await release?.();
    },
  };
}
