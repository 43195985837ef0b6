import type { Principal } from "../calls/principal.ts";
import { REVISIONS } from "../protocol/revisions/table.ts";
import { type Server, stateOf } from "../server/server.ts";
import { connectMemory } from "../transports/memory.ts";
import { type ClientOptions, type Link, TestClient } from "./client.ts";

export interface ConnectOptions extends ClientOptions {
  readonly principal?: Principal;
  /** Show real error messages, as under `proffer dev`. */
  readonly exposeErrors?: boolean;
}

/** Connects a client to a server in this process, ready to be used. */
export function connect(server: Server, options: ConnectOptions = {}): Promise<TestClient> {
  const { revisions } = stateOf(server);
  const link: Link = (receive) => connectMemory(server, receive, options);
  return open(link, options, (version) => revisions.get(version)?.handshake);
}

/** Connects a client over a transport of your own. */
export function connectOver(link: Link, options: ClientOptions = {}): Promise<TestClient> {
  return open(link, options, (version) => REVISIONS.get(version)?.handshake);
}

async function open(link: Link, options: ClientOptions, handshakeOf: (version: string) => boolean | undefined) {
  const revision = options.revision ?? REVISIONS.stateless.at(-1) ?? REVISIONS.newestHandshake.version;
  const handshake = handshakeOf(revision);
  if (handshake === undefined) throw new Error(`There is no protocol revision ${revision}.`);
  const client = new TestClient(link, handshake, { ...options, revision });
  await client.open();
  return client;
}
