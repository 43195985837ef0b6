import type { ServerState } from "../server/server.ts";
import { toBase64Url } from "../support/bytes.ts";

const NAME_BYTES = 9;

const names = new WeakMap<ServerState, string>();

/** The name of this node: a random text for each process and server. */
export function nodeName(server: ServerState): string {
  let name = names.get(server);
  if (name === undefined) {
    name = toBase64Url(crypto.getRandomValues(new Uint8Array(NAME_BYTES)));
    names.set(server, name);
  }
  return name;
}
