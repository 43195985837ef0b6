import type { Call } from "../../calls/call.ts";
import { safeVariables } from "../../client/command-link.ts";
import type { ServerState } from "../../server/server.ts";
import { randomText } from "../../support/bytes.ts";
import { memoized } from "../../support/memo.ts";
import { LoopError } from "./failures.ts";

/** The header with the servers that a request has passed, so that a server behind itself is found. */
export const VIA = "x-proffer-via";
/** In `_meta` of a list: the servers whose items it may contain, for a mount that asks. */
export const CONTAINS = "proffer.dev/servers";
/** Servers one behind the other. */
export const MAX_HOPS = 8;
const DEPTH = "PROFFER_MOUNT_DEPTH";

/** Identifies a server in this process. */
export const idOf: (server: ServerState) => string = /* @__PURE__ */ memoized(() => randomText(9));

/** The servers that a request has passed. */
export function viaOf({ origin }: Call): readonly string[] {
  const text = origin.http?.header(VIA);
  return text === undefined || text === "" ? [] : text.slice(0, 1000).split(",");
}

/** @throws {LoopError} for a request that has been here before. */
export function refuseLoop(call: Call): void {
  const via = viaOf(call);
  if (via.length <= MAX_HOPS && !via.includes(idOf(call.server))) return;
  throw new LoopError(`Server "${call.server.info.name}" is mounted in itself, through other servers.`);
}

/** The variables of a command, with the number of servers that have started each other. */
export function depthVariables(env: NodeJS | undefined): NodeJS {
  return { ...(env ?? safeVariables()), [DEPTH]: String(depth() + 1) };
}

/** @throws {LoopError} in a server that starts itself: the processes would have no end. */
export function refuseDepth(): void {
  if (depth() >= MAX_HOPS)
    throw new LoopError(`${MAX_HOPS} servers have started each other. Is one mounted in itself?`);
}

type NodeJS = { readonly [name: string]: string | undefined };

function depth(): number {
  const { process } = globalThis as { process?: { env?: NodeJS } };
  return Number(process?.env?.[DEPTH]) || 0;
}
