import type { RunEvent } from "proffer/derived";
import { VERSION_STEP } from "../../dev/pinned-calls.ts";
import type { Trace } from "../protocol/call.ts";

/** Converts an event of a run for the page. The start, the end, and the step with which `dev` pins a call have none. */
export function toTrace(event: RunEvent): Trace | undefined {
  if (event.kind === "start" || event.kind === "end") return undefined;
  return event.kind === "step" && event.name === VERSION_STEP ? undefined : event;
}
