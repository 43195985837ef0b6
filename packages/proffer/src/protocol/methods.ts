/**
 * The requests that a client may send, in any revision, and what the wire needs to know of each. Which revision has
 * which stands in the revision's own file; what they do, in `server/methods/`.
 */
export interface Method {
  /** The server capability that must be advertised for the method to exist. */
  readonly capability?: "tools" | "prompts" | "resources" | "completions" | "logging";
  /** Complete answers carry caching hints where the revision has them. */
  readonly cacheable?: true;
  /** The parameter that the `Mcp-Name` header mirrors. */
  readonly mirrored?: "name" | "uri";
  /** Its handler may ask the client for input before it has a result. */
  readonly asks?: true;
}

export const METHODS: ReadonlyMap<string, Method> = new Map<string, Method>([
  ["initialize", {}],
  ["ping", {}],
  ["server/discover", { cacheable: true }],
  ["tools/list", { capability: "tools", cacheable: true }],
  ["tools/call", { capability: "tools", mirrored: "name", asks: true }],
  ["prompts/list", { capability: "prompts", cacheable: true }],
  ["prompts/get", { capability: "prompts", mirrored: "name", asks: true }],
  ["resources/list", { capability: "resources", cacheable: true }],
  ["resources/templates/list", { capability: "resources", cacheable: true }],
  ["resources/read", { capability: "resources", cacheable: true, mirrored: "uri", asks: true }],
  ["resources/subscribe", { capability: "resources" }],
  ["resources/unsubscribe", { capability: "resources" }],
  ["subscriptions/listen", {}],
  ["completion/complete", { capability: "completions" }],
  ["logging/setLevel", { capability: "logging" }],
]);
