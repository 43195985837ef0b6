import type { TraceEvent, TraceSource } from "@proffer/inspector";
import type { Server } from "proffer";
import { overrideOptions, type RunTracing, traceRuns } from "proffer/derived";
import { VERSION_STEP } from "../dev/pinned-calls.ts";

/** Creates the option with which a server reports its runs, and the source that passes the reports on. */
export function createTrace(): { readonly tracing: RunTracing; readonly source: TraceSource } {
  let listen: (event: TraceEvent) => void = () => {};
  const tracing = traceRuns(({ source, id }, event) => {
    if (event.kind === "start" || event.kind === "end") return;
    // `dev` pins a call to its version with a step, which is not the author's.
    if (event.kind === "step" && event.name === VERSION_STEP) return;
    listen({ source, id, trace: event });
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
