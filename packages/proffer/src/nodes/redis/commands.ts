import { sha1 } from "../../support/sha1.ts";
import { Deadlines } from "../deadlines.ts";
import { StoreUnavailable } from "../ports.ts";
import { type RedisClient, type Send, senderOf } from "./client.ts";

/** Sends commands and scripts. */
export class Commands {
  readonly #send: Send;
  readonly #limiter: CommandLimiter;

  /** @throws {UsageError} for a client of an unknown library. */
  constructor(client: RedisClient, limits: CommandLimits) {
    this.#send = senderOf(client);
    this.#limiter = new CommandLimiter(limits);
  }

  /** Sends one command. @throws {StoreUnavailable} */
  run(key: string | undefined, args: string[]): Promise<unknown> {
    return this.#limiter.run(() => this.#send(key, args));
  }

  /** Runs a script on one key. @throws {StoreUnavailable} */
  script(script: Script, key: string, args: readonly string[]): Promise<unknown> {
    return this.#limiter.run(() => evaluate(script, key, args, (command) => this.#send(key, command)));
  }

  /** Runs a script, and waits until a replica has its effects. @throws {StoreUnavailable} */
  replicatedScript(script: Script, key: string, args: readonly string[], milliseconds: number): Promise<unknown> {
    return this.#limiter.run(() =>
      evaluate(script, key, args, async (command) => {
        // Sent together: WAIT is about the earlier writes of its connection, which may be another one after the reply.
        const replies = [this.#send(key, command), this.#send(key, ["WAIT", "1", String(milliseconds)])];
        const [reply, replicas] = await Promise.all(replies);
        if (Number(replicas) < 1) throw new StoreUnavailable("replicas", new Error("No replica confirmed the change."));
        return reply;
      }),
    );
  }
}

/** Runs a script by its digest, or whole, if the server does not know it. */
function evaluate(
  { source, digest }: Script,
  key: string,
  args: readonly string[],
  send: (command: string[]) => Promise<unknown>,
): Promise<unknown> {
  return send(["EVALSHA", digest, "1", key, ...args]).catch((error) => {
    if (isNoScript(error)) return send(["EVAL", source, "1", key, ...args]);
    throw error;
  });
}

/** A Lua script. Redis keeps scripts that it has seen, and runs them by their SHA-1. */
export interface Script {
  readonly source: string;
  readonly digest: string;
}

export function createScript(source: string): Script {
  return { source, digest: sha1(source) };
}

export interface CommandLimits {
  readonly commandTimeout: number;
  readonly maxInFlight: number;
}

/**
 * Answers each call of a client library within the time limit. All libraries wait forever by default if there is no
 * connection; a command that was given up may still be executed later.
 */
export class CommandLimiter {
  readonly #breaker = new Breaker();
  readonly #deadlines: Deadlines;
  readonly #maxInFlight: number;
  /** Calls that the library has not settled, also those that were given up: they occupy its queue. */
  #inFlight = 0;

  constructor({ commandTimeout, maxInFlight }: CommandLimits) {
    this.#deadlines = new Deadlines(commandTimeout);
    this.#maxInFlight = maxInFlight;
  }

  /** @throws {StoreUnavailable} */
  run<Reply>(send: () => Promise<Reply>): Promise<Reply> {
    if (this.#inFlight >= this.#maxInFlight) return Promise.reject(new StoreUnavailable("overloaded"));
    if (!this.#breaker.admit()) return Promise.reject(new StoreUnavailable("suspended"));
    this.#inFlight++;
    const reply = attempt(send)
      .finally(() => this.#inFlight--)
      .then(
        (reply) => {
          this.#breaker.succeeded();
          return reply;
        },
        (error) => {
          const failure = failureOf(error);
          if (isOutage(failure)) this.#breaker.failed();
          else this.#breaker.succeeded();
          throw failure;
        },
      );
    return this.#deadlines.limit(reply, () => {
      this.#breaker.failed();
      return new StoreUnavailable("timeout", new Error("Redis did not reply in time."));
    });
  }
}

/** A closed client may throw instead of rejecting. */
async function attempt<Reply>(send: () => Promise<Reply>): Promise<Reply> {
  return send();
}

/** The failures in a row after which calls are not tried. */
const FAILURES = 5;

/** Milliseconds for which they are not. */
const PAUSE = 1_000;

/** A circuit breaker: after failures in a row, calls fail at once for a second; then one call probes the server. */
class Breaker {
  #failures = 0;
  #closedAt = 0;
  #probes = false;

  /** Whether a call may be tried. It must be followed by `succeeded` or `failed`. */
  admit(): boolean {
    if (this.#failures < FAILURES) return true;
    if (this.#probes || performance.now() < this.#closedAt) return false;
    this.#probes = true;
    return true;
  }

  succeeded(): void {
    this.#failures = 0;
    this.#probes = false;
  }

  failed(): void {
    this.#probes = false;
    if (++this.#failures >= FAILURES) this.#closedAt = performance.now() + PAUSE;
  }
}

/** Error replies by their code, and by the name that valkey-glide replaces some codes with. */
const REPLIES: readonly (readonly [RegExp, StoreUnavailable["reason"]])[] = [
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
      // Nobody could receive this error.
    }
  };
}
