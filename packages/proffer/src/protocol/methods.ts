/**
 * The requests that a client may send in any revision, with their protocol properties. Each file in `revisions/` lists
 * the methods of its revision; `server/methods.ts` maps methods to handlers.
 */
export interface Method {
  /** The server capability that must be advertised for the method to exist. */
  readonly capability?: "tools" | "prompts" | "resources" | "completions" | "logging" | "tasks";
  /** Complete results carry cache hints if the revision has them. */
  readonly cacheable?: true;
  /** The parameter that the `Mcp-Name` header mirrors. */
  readonly mirrored?: "name" | "uri" | "taskId";
  /** The handler may ask the client for input before it returns a result. */
  readonly asks?: true;
  /** It runs a function of the author, and so waits until the server has started. */
  readonly runs?: true;
}

export const METHODS: ReadonlyMap<string, Method> = new Map<string, Method>([
  ["initialize", {}],
  ["ping", {}],
  ["server/discover", { cacheable: true }],
  ["tools/list", { capability: "tools", cacheable: true }],
  ["tools/call", { capability: "tools", mirrored: "name", asks: true, runs: true }],
  ["prompts/list", { capability: "prompts", cacheable: true }],
  ["prompts/get", { capability: "prompts", mirrored: "name", asks: true, runs: true }],
  ["resources/list", { capability: "resources", cacheable: true }],
  ["resources/templates/list", { capability: "resources", cacheable: true }],
  ["resources/read", { capability: "resources", cacheable: true, mirrored: "uri", asks: true, runs: true }],
  ["resources/subscribe", { capability: "resources", runs: true }],
  ["resources/unsubscribe", { capability: "resources" }],
  ["subscriptions/listen", { runs: true }],
  ["tasks/get", { capability: "tasks", mirrored: "taskId" }],
  ["tasks/update", { capability: "tasks", mirrored: "taskId" }],
  ["tasks/cancel", { capability: "tasks", mirrored: "taskId" }],
  ["completion/complete", { capability: "completions", runs: true }],
  ["logging/setLevel", { capability: "logging" }],
]);
