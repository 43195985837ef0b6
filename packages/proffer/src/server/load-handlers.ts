/** The code that is loaded after the handshake. */
export type Handlers = Pick<typeof import("./handlers.ts"), "HANDLERS" | "exposedText" | "failureResult" | "proceed">;

let loading: Promise<void> | undefined;

/** The handlers, once they are loaded. */
export let handlers: Handlers | undefined;

/**
 * Loads the handlers of all methods but the handshake, and the modules that only they need: two fifths of the code. A
 * process thus answers the handshake earlier, and loads the rest while the client reads the answer.
 */
export function loadHandlers(): Promise<void> {
  loading ??= import("./handlers.ts").then(({ HANDLERS, exposedText, failureResult, proceed }) => {
    handlers = { HANDLERS, exposedText, failureResult, proceed };
  });
  return loading;
}

/** Loads the handlers after this turn. If that fails, the first request that needs them says so. */
export function preloadHandlers(): void {
  if (loading === undefined) void Promise.resolve().then(loadHandlers).catch(ignore);
}

function ignore(): void {}
