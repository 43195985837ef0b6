/** The module of the handlers. */
export type Handlers = typeof import("./handlers.ts");

let loading: Promise<Handlers> | undefined;

/** The handlers, once they are loaded. */
export let handlers: Handlers | undefined;

/**
 * Loads the handlers of all methods but the handshake, and what only they need: a fifth of the code. A process thus
 * answers the handshake earlier, and loads the rest while the client reads the answer.
 */
export function loadHandlers(): Promise<Handlers> {
  loading ??= import("./handlers.ts").then((loaded) => {
    handlers = loaded;
    return loaded;
  });
  return loading;
}

/** Loads the handlers after this turn. If that fails, the first request that needs them says so. */
export function preloadHandlers(): void {
  if (loading === undefined) void Promise.resolve().then(loadHandlers).catch(ignore);
}

function ignore(): void {}
