import type { Call } from "../calls/call.ts";
import { hasReaders } from "../calls/readers.ts";
import type { ServerState } from "../server/server.ts";
import { Readers } from "./readers.ts";

let adaptCall: typeof import("../profiles/adapt.ts")["adaptCall"] | undefined;

/** @throws {UsageError} if a resource must be a tool and has no free name. */
export function checkReaders(server: ServerState): void {
  Readers.of(server);
}

/** Prepares a request about tools whose answer depends on its client. A promise only while code is loaded. */
export function prepareCall(call: Call): void | Promise<void> {
  if (!call.server.options.adapt) return addReaders(call);
  if (adaptCall !== undefined) return adapt(call, adaptCall);
  return import("../profiles/adapt.ts").then((loaded) => {
    adaptCall = loaded.adaptCall;
    adapt(call, adaptCall);
  });
}

/** A shortened name is replaced first: it may be that of a tool that reads a resource. */
function adapt(call: Call, convert: NonNullable<typeof adaptCall>): void {
  convert(call, hasReaders(call.server, call) ? Readers.of(call.server).namesFor(call) : []);
  addReaders(call);
}

function addReaders(call: Call): void {
  const { server, method, params } = call;
  if (server.resources.size === 0 || !hasReaders(server, call)) return;
  if (method === "tools/list") call.readers = { list: Readers.of(server).listFor(call) };
  else if (server.tools.get(params.name as string) === undefined)
    call.readers = { tool: Readers.of(server).find(call) };
}
