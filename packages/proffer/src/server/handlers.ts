import { getPrompt, listPrompts } from "../prompts/methods.ts";
import { complete } from "../resources/complete.ts";
import { listResources, listTemplates, readResource } from "../resources/methods.ts";
import { listen, subscribe, unsubscribe } from "../resources/subscriptions.ts";
import { callTool, listTools } from "../tools/methods.ts";
import { setLevel } from "./logging.ts";
import type { Handler } from "./methods.ts";
import { serveTask } from "./task-methods.ts";

export { exposedText } from "../calls/exposed-error.ts";
export { failureResult } from "../results/call-result.ts";
export { proceed } from "./proceed.ts";

/** The handler of each method but those of the handshake. Each revision lists its methods in its own file. */
export const HANDLERS: ReadonlyMap<string, Handler> = new Map<string, Handler>([
  ["tools/list", listTools],
  ["tools/call", callTool],
  ["prompts/list", listPrompts],
  ["prompts/get", getPrompt],
  ["resources/list", listResources],
  ["resources/templates/list", listTemplates],
  ["resources/read", readResource],
  ["resources/subscribe", subscribe],
  ["resources/unsubscribe", unsubscribe],
  ["subscriptions/listen", listen],
  ["tasks/get", serveTask],
  ["tasks/update", serveTask],
  ["tasks/cancel", serveTask],
  ["completion/complete", complete],
  ["logging/setLevel", setLevel],
]);
