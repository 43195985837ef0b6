import type { Method } from "../calls/call.ts";
import { getPrompt, listPrompts } from "../prompts/methods.ts";
import { complete } from "../resources/complete.ts";
import { listResources, listTemplates, readResource } from "../resources/methods.ts";
import { listen, subscribe, unsubscribe } from "../resources/subscriptions.ts";
import { callTool, listTools } from "../tools/methods.ts";
import { discover, initialize, ping } from "./lifecycle.ts";
import { setLevel } from "./logging.ts";

/** The requests that a client may send in some revision, beside those of features. Each file in `protocol/revisions/` lists those of its revision. */
export const METHODS: ReadonlyMap<string, Method> = new Map<string, Method>([
  ["initialize", { handle: initialize }],
  ["ping", { handle: ping }],
  ["server/discover", { handle: discover, cacheable: true }],
  ["tools/list", { handle: listTools, capability: "tools", cacheable: true }],
  ["tools/call", { handle: callTool, capability: "tools", mirrored: "name", asks: true, runs: true }],
  ["prompts/list", { handle: listPrompts, capability: "prompts", cacheable: true }],
  ["prompts/get", { handle: getPrompt, capability: "prompts", mirrored: "name", asks: true, runs: true }],
  ["resources/list", { handle: listResources, capability: "resources", cacheable: true }],
  ["resources/templates/list", { handle: listTemplates, capability: "resources", cacheable: true }],
  [
    "resources/read",
    { handle: readResource, capability: "resources", cacheable: true, mirrored: "uri", asks: true, runs: true },
  ],
  ["resources/subscribe", { handle: subscribe, capability: "resources", runs: true }],
  ["resources/unsubscribe", { handle: unsubscribe, capability: "resources" }],
  ["subscriptions/listen", { handle: listen, runs: true }],
  ["completion/complete", { handle: complete, capability: "completions", runs: true }],
  ["logging/setLevel", { handle: setLevel, capability: "logging" }],
]);
