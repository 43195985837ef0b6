import type { Server } from "proffer";
import { overrideOptions, type RunTracing, traceRuns } from "proffer/derived";
import type { Trace } from "../protocol/call.ts";
import { toTrace } from "../trace/trace.ts";

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

/** Creates what a server reports its runs with, and what passes them on. */
export function createTrace(): { readonly tracing: RunTracing; readonly source: TraceSource } {
  let listen: (event: TraceEvent) => void = () => {};
  const tracing = traceRuns(({ source, id }, event) => {
    const trace = toTrace(event);
    if (trace !== undefined) listen({ source, id, trace });
  });
  return {
    tracing,
    source(listener) {
      listen = listener;
    },
  };
}

/** Reports the runs of a server from now on. */
export function traceServer(server: Server): TraceSource {
  const { tracing, source } = createTrace();
  overrideOptions(server, { trace: tracing.trace });
  return source;
}
