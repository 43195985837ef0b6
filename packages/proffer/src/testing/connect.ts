import type { Principal } from "../calls/principal.ts";
import { crashTasks } from "../features/tasks/feature.ts";
import type { ProfileId } from "../profiles/known.ts";
import { REVISIONS } from "../protocol/revisions/table.ts";
import { lifespanOf } from "../server/lifespan.ts";
import { type Server, stateOf } from "../server/server.ts";
import { connectMemory } from "../transports/memory.ts";
import { TestClient } from "./client.ts";
import type { ClientOptions, Link } from "./options.ts";

/** Options for `connect`. */
export interface ConnectOptions extends ClientOptions {
  /** The caller, as an `authenticate` hook would return it. */
  readonly principal?: Principal;
  /**
   * Acts as this client, such as "codex": with its name, revision and capabilities, and lists and results have only what
   * its model sees.
   */
  readonly as?: ProfileId;
  /** False runs `onStart` of the server with the first call, instead of before `connect` resolves. Default: true. */
  readonly start?: boolean;
}

/**
 * Connects a client to a server in the same process. Runs `onStart` of the server, and `onStop` when the last of its
 * clients is closed. @throws {Error} if `onStart` fails, or for toolsets that do not fit the items.
 *
 * @example
 * const client = await connect(server, { revision: "2025-11-25", answers: [{ name: "Ada" }] });
 * const { content } = await client.call("greet");
 * expect(content).toEqual([{ type: "text", text: "Hello, Ada!" }]);
 */
export async function connect(server: Server, options: ConnectOptions = {}): Promise<TestClient> {
  const state = stateOf(server);
  await state.features.loading;
  const lifespan = lifespanOf(state);
  const release = lifespan?.open();
  const link: Link = (receive) => {
    let connection = connectMemory(server, receive, options);
    return {
      send: (text) => connection.send(text),
      close: async () => {
        connection.close();
        await release?.();
      },
      crash: async () => {
        connection.close();
        await crashTasks(state);
        connection = connectMemory(server, receive, options);
      },
    };
  };
  try {
    if (options.start !== false) await lifespan?.start();
    const handshakeOf = (version: string) => state.revisions.get(version)?.handshake;
    if (options.as === undefined) return await open(TestClient, link, options, handshakeOf);
    const { createClientAs } = await import("./client-as.ts");
    const { type, identity } = createClientAs(options.as, server.info.name);
    return await open(type, link, { ...identity, ...options }, handshakeOf);
  } catch (error) {
    await release?.();
    throw error;
  }
}

/**
 * Connects a client over your own transport.
 *
 * @example
 * const client = await connectOver((receive) => {
 *   const socket = new WebSocket(url);
 *   socket.onmessage = ({ data }) => receive(data);
 *   return { send: (text) => socket.send(text), close: () => socket.close() };
 * });
 */
export function connectOver(link: Link, options: ClientOptions = {}): Promise<TestClient> {
  return open(TestClient, link, options, (version) => REVISIONS.get(version)?.handshake);
}

async function open(
  Type: typeof TestClient,
  link: Link,
  options: ClientOptions,
  handshakeOf: (version: string) => boolean | undefined,
): Promise<TestClient> {
  const revision = options.revision ?? REVISIONS.stateless.at(-1) ?? REVISIONS.newestHandshake.version;
  const handshake = handshakeOf(revision);
  if (handshake === undefined) throw new Error(`Unknown protocol revision ${revision}.`);
  const client = new Type(link, handshake, { ...options, revision });
  await client.open();
  return client;
}
