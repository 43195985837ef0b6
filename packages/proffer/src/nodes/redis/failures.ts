import { StoreUnavailable, type UnavailableReason } from "../ports.ts";

/** Error replies by their code, and by the name that valkey-glide replaces some codes with. */
const REPLIES: readonly (readonly [RegExp, UnavailableReason])[] = [
  [/^READONLY\b|- ReadOnly:/, "readonly"],
  [/^LOADING\b|- BusyLoadingError:/, "loading"],
  // MISCONF: the disk is full or cannot be written.
  [/^(OOM|MISCONF)\b/, "full"],
  // MOVED and CROSSSLOT mean that a client without support for clusters is connected to one.
  [
    /^(CLUSTERDOWN|MASTERDOWN|MOVED|ASK|TRYAGAIN|CROSSSLOT)\b|- (ClusterDown|MasterDown|Moved|Ask|TryAgain|CrossSlot):/,
    "cluster",
  ],
  [/^(BUSY|UNKILLABLE)\b/, "busy"],
  [/^(NOAUTH|WRONGPASS|NOPERM)\b|- (PermissionDenied|AuthenticationFailed):/, "access"],
  [/^NOREPLICAS\b/, "replicas"],
];

const REPLY_CLASSES: ReadonlySet<string> = new Set(["ReplyError", "ErrorReply", "SimpleError", "BlobError"]);

/**
 * Converts an error of a client library: errors of the connection, and replies that refuse a command because of the
 * server's state, mean that the store is not available. Other replies are bugs and stay as they are.
 */
export function failureOf(error: unknown): unknown {
  if (error instanceof StoreUnavailable || error instanceof TypeError) return error;
  const { message, name } = error as Error;
  const known = REPLIES.find(([pattern]) => pattern.test(message));
  if (known !== undefined) return new StoreUnavailable(known[1], error);
  const isReply =
    REPLY_CLASSES.has(name) ||
    REPLY_CLASSES.has((error as Error).constructor.name) ||
    // valkey-glide has one class for replies and for lost connections.
    (name === "RequestError" && /^An error was signalled by the server|^[A-Z]+: /.test(message));
  return isReply ? error : new StoreUnavailable("disconnected", error);
}

/** Whether a server does not have a script that was called by its digest: it restarted, or is another one. */
export function isNoScript(error: unknown): boolean {
  return /^NOSCRIPT\b|- NoScriptError:/.test((error as Error).message);
}

/**
 * Whether a failure means that the next call would fail too, so that it need not be tried. If memory is full or access
 * is denied, other commands still succeed.
 */
export function isOutage(error: unknown): boolean {
  return (
    error instanceof StoreUnavailable &&
    !["full", "access", "replicas", "suspended", "overloaded"].includes(error.reason)
  );
}

/** Wraps an author's function for errors: its own must not break the library that calls it. */
export function reporter(onError: ((error: unknown) => unknown) | undefined): (error: unknown) => void {
  return (error) => {
    try {
      const outcome = onError?.(error);
      if (outcome instanceof Promise) outcome.catch(() => {});
    } catch {
      // There is nobody to tell.
    }
  };
}
