import type { Call } from "./call.ts";

/** Calls whose handler was reported. */
const reported = new WeakSet<Call>();

/**
 * Reports during development, once per call, that its handler sends log messages after the end: the author would look
 * for them in vain. A run that a question left behind is not a mistake: the handler runs again with the answer.
 */
export function reportLateLog(call: Call): void {
  if (!call.server.overrides.development || !call.completed || reported.has(call)) return;
  reported.add(call);
  const { name, uri } = call.params;
  const message =
    "ctx.log was called after the call had ended: nothing was sent. Await the work before you return, or use server.sendLog.";
  call.server.log({ level: "warning", message, method: call.method, name: name ?? uri });
}
