import type { ChangeKind, ListKind } from "../catalog/changes.ts";
import type { Method } from "../protocol/methods.ts";
import type { Readers } from "../readers/readers.ts";
import type { ServerState } from "../server/server.ts";
import type { Call } from "./call.ts";
import type { Client } from "./session.ts";

/** What is known of the resources that are tools. */
export interface ReaderState {
  /** Whether some resource is a tool for every client. */
  readonly areForAll: boolean;
  /** The tools, once a client asked for them. */
  tools: Readers | undefined;
}

/** Who would see the tools that read resources. */
export interface ReaderCaller {
  readonly client?: Client | undefined;
}

/**
 * Whether a client has tools for all resources. Its name decides, which any client can choose: the tools permit nothing
 * that `resources/read` refuses.
 */
export function hasAllReaders({ options: { resourceTools = "auto" } }: ServerState, caller: ReaderCaller): boolean {
  return resourceTools === "auto" ? caller.client?.profile?.readsResources === false : resourceTools === "always";
}

/** Whether a client has tools for some resources, if there are any. */
export function hasReaders(server: ServerState, caller: ReaderCaller): boolean {
  return readersOf(server).areForAll || hasAllReaders(server, caller);
}

/** The resources of a server that are tools, until its lists change. */
export function readersOf(server: ServerState): ReaderState {
  server.readers ??= { areForAll: [...server.resources].some(({ tool }) => tool), tools: undefined };
  return server.readers;
}

/** Whether a server has the capability that a method requires, for the client of a call. */
export function offersTo(call: Call, capability: NonNullable<Method["capability"]>): boolean {
  const { server } = call;
  if (server.offers(capability)) return true;
  return capability === "tools" && server.resources.size > 0 && hasReaders(server, call);
}

/** The list whose change a client is told; undefined if nothing changed for it. */
export function toListKind(server: ServerState, kind: ChangeKind, listener: ReaderCaller): ListKind | undefined {
  if (kind !== "readers") return kind;
  return hasReaders(server, listener) ? "tools" : undefined;
}
