import type { ServerState } from "../server/server.ts";
import { createSealer, randomKey, type Sealer } from "./seal.ts";

/** Not a property of the server, because most servers never seal anything: a start need not load this. */
const sealers = new WeakMap<ServerState, Sealer>();

/** Returns the sealer with the keys of a server, or with a random key if it has none. */
export function sealerOf(server: ServerState): Sealer {
  const { keyOwner } = server;
  let sealer = sealers.get(keyOwner);
  if (sealer === undefined) {
    if (keyOwner.keys === undefined) keyOwner.onRandomKey?.();
    sealer = createSealer(keyOwner.keys ?? [randomKey()]);
    sealers.set(keyOwner, sealer);
  }
  return sealer;
}
