import type { Principal } from "../calls/client.ts";
import { lifespanOf } from "../server/lifespan.ts";
import { type Server, stateOf } from "../server/server.ts";
import { connectMemory } from "../transports/memory.ts";
import type { Link } from "./link.ts";

/** Options for a server in this process. */
export interface LocalOptions {
  /** The caller, as an `authenticate` hook would return it. */
  readonly principal?: Principal;
  /** False runs `onStart` of the server with the first call, instead of before `connect` resolves. Default: true. */
  readonly start?: boolean;
}

/**
 * Runs `onStart` of a server in this process, and returns the link to it. Closing the link runs `onStop`, if no other
 * uses the server. @throws {Error} if `onStart` fails, or for toolsets that do not fit the items.
 */
export async function openServer(server: Server, options: LocalOptions = {}): Promise<Link> {
  const state = stateOf(server);
  await state.features.loading;
  const lifespan = lifespanOf(state);
  const release = lifespan?.open();
  try {
    if (options.start !== false) await lifespan?.start();
  } catch (error) {
    await release?.();
    throw error;
  }
  return (receive) => {
    let connection = connectMemory(server, receive, options);
    return {
      send: (text) => connection.send(text),
      async close() {
        connection.close();
        await release?.();
      },
      async crash() {
        connection.close();
        const { crashTasks } = await import("../features/tasks/feature.ts");
        await crashTasks(state);
        connection = connectMemory(server, receive, options);
      },
    };
  };
}
