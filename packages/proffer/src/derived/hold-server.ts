import { lifespanOf } from "../server/lifespan.ts";
import { type Server, stateOf } from "../server/server.ts";

/** A server that runs without a transport of its own, behind another server. */
export interface HeldServer {
  /** Runs `onStart`. @throws {Error} with the reason if it fails. */
  start(): Promise<void>;
  /** Runs `onStop` if the server has started. Never rejects. */
  stop(): Promise<void>;
}

/** Counts as a transport of the server until `stop` is called. */
export function holdServer(server: Server): HeldServer {
  const lifespan = lifespanOf(stateOf(server));
  const release = lifespan?.open();
  return {
    async start() {
      await lifespan?.start();
    },
    async stop() {
      await release?.();
    },
  };
}
