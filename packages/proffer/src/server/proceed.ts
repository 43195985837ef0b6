import { accessOf } from "../calls/access.ts";
import type { Call } from "../calls/call.ts";
import { middlewareOf } from "../calls/run-middleware.ts";
import { replaceAlias } from "../calls/uses.ts";
import type { Method } from "../protocol/methods.ts";
import { resume } from "../questions/rounds.ts";
import { whenReady } from "../support/when-ready.ts";
import type { Handler } from "./methods.ts";

/** Checks whether the caller may do this, opens the state of a dialogue, if there is one, and runs the handler. */
export function proceed(call: Call, handler: Handler, method: Method): unknown {
  // Before the state: a refused round must not use it up. Before middleware: a cache must not answer the wrong caller.
  const access = accessOf(call.server);
  replaceAlias(call);
  access?.authorize(call);
  const { requestState, inputResponses } = call.params;
  // Anyone with the state can continue the dialogue: it must not appear if middleware logs the parameters.
  if (requestState !== undefined) Object.defineProperty(call.params, "requestState", { enumerable: false });
  if (method.asks && call.revision.rounds && (requestState !== undefined || inputResponses !== undefined)) {
    return whenReady(resume(call), (questions) => {
      call.questions = questions;
      return run(call, handler);
    });
  }
  return run(call, handler);
}

/** Runs the handler inside the observers, if there are any. */
function run(call: Call, handler: Handler): unknown {
  const { observers } = call.server;
  return observers === undefined ? wrap(call, handler) : observers.observe(call, () => wrap(call, handler));
}

/** Runs the handler through the middleware, if there is any. */
function wrap(call: Call, handler: Handler): unknown {
  const middleware = middlewareOf(call.server);
  return middleware === undefined ? handler(call) : middleware(call, handler);
}
