import { truncateText } from "../results/truncate.ts";
import { messageOf, withoutCredentials } from "../support/log.ts";
import type { Call } from "./call.ts";
import { CallView, type MiddlewareCall } from "./call-view.ts";

/**
 * How clients see an exception that is not a `ToolError` or an `RpcError`. "masked": not at all. "message": its message.
 * A function: the text that it returns, or not at all for undefined.
 */
export type ErrorsOption = "masked" | "message" | ((error: unknown, call: MiddlewareCall) => string | undefined);

/** In characters. The message of an error may quote a whole document. */
const MAX_ERROR_TEXT = 8192;

/** Returns the text of an unexpected exception for the client; undefined if it is masked. */
export function exposedText(call: Call, thrown: unknown, remedy: string): string | undefined {
  const { errors: own, overrides } = call.server;
  const { errors = own, development } = overrides;
  const exposed =
    typeof errors === "function" ? callHook(call, errors, thrown) : errors === "message" ? messageOf(thrown) : "";
  if (typeof exposed === "string" && exposed !== "") return truncateText(withoutCredentials(exposed), MAX_ERROR_TEXT);
  if (!development) return undefined;
  const shown = truncateText(withoutCredentials(messageOf(thrown)), MAX_ERROR_TEXT);
  return `${shown} (shown during development; ${remedy} or set errors: "message" to show it always)`;
}

/** Calls the author's function. Its failure masks the exception: the response must not depend on a second error. */
function callHook(call: Call, hook: Exclude<ErrorsOption, string>, thrown: unknown): string | undefined {
  let problem: unknown;
  try {
    const text: unknown = hook(thrown, new CallView(call));
    if (typeof text === "string" || text === undefined) return text;
    // An asynchronous function is a mistake: its rejection must not end the process.
    Promise.resolve(text).catch(() => undefined);
    problem = new TypeError(`it returned a value of type ${typeof text}, not a string or undefined`);
  } catch (error) {
    problem = error;
  }
  call.server.logError(call, "The errors function failed", problem);
  return undefined;
}
