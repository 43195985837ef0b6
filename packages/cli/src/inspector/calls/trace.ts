import type { Server } from "proffer";
import { overrideOptions, traceRuns } from "proffer/derived";
import type { Trace } from "../protocol/call.ts";

/** What the engine did in a run of a handler. */
export interface TraceEvent {
  /** What the request came by: for a connection within this process, the connection. */
  readonly source: object;
  /** The id of the request. */
  readonly id: string | number;
  readonly trace: Trace;
}

/** Reports runs of handlers, only of servers that this process runs. */
export type TraceSource = (listener: (event: TraceEvent) => void) => void;

/** Reports the runs of a server from now on. */
export function traceServer(server: Server): TraceSource {
  return (listener) => {
    const { trace } = traceRuns(({ source, id }, event) => {
      if (event.kind !== "start" && event.kind !== "end") listener({ source, id, trace: event });
    });
    overrideOptions(server, { trace });
  };
}
