import type { Call } from "../calls/call.ts";
import { badOption } from "../support/usage-error.ts";
import type { Tool } from "../tools/define.ts";
import type { MaxResult } from "../tools/max-result.ts";
import type { ServerState } from "./server.ts";

/** Does the work of a call, and cuts its result. */
export type LimitResults = (call: Call, work: (call: Call) => unknown) => unknown;

/** A tool, or the options of a server. */
interface Limited {
  readonly name: string;
  readonly maxResult?: MaxResult | undefined;
}

/**
 * Cuts the results of a server, and adds the tool that returns the rest. The name of the tool is taken at once, so that
 * another tool of that name is an error; the code completes the tool, and the first call loads the code.
 */
export function limitResults(server: ServerState, { name, maxResult }: Limited): void {
  if (!maxResult) return;
  // Exactly one of them, with room for the sentence about the rest.
  if ((maxResult.tokens as number) >= 1000 === (maxResult.bytes as number) >= 1000)
    throw badOption(`"${name}"`, "maxResult", "{ tokens } or { bytes } from 1000", maxResult);
  if (server.limit) return;
  const more = { kind: "tool", name: "more" } as Tool;
  server.limit = (call, work) =>
    import("../features/max-result/limit.ts").then(({ limitOf }) => limitOf(server, more)(call, work));
  server.tools.add(more);
}
