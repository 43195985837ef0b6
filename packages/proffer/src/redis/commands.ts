import { StoreUnavailable } from "../cluster/unavailable.ts";
import { Breaker } from "./breaker.ts";
import type { Send } from "./client.ts";
import { Deadlines } from "./deadlines.ts";
import { failureOf, isNoScript, isOutage } from "./failure.ts";
import type { Script } from "./script.ts";

export interface CommandLimits {
  readonly commandTimeout: number;
  readonly maxInFlight: number;
}

/**
 * Sends commands, each answered within the time limit. All client libraries wait forever by default if there is no
 * connection; a command that was given up may still be executed later.
 */
export class Commands {
  readonly #send: Send;
  readonly #breaker = new Breaker();
  readonly #deadlines: Deadlines;
  readonly #maxInFlight: number;
  /** Commands that the library has not settled, also those that were given up: they occupy its queue. */
  #inFlight = 0;

  constructor(send: Send, { commandTimeout, maxInFlight }: CommandLimits) {
    this.#send = send;
    this.#deadlines = new Deadlines(commandTimeout);
    this.#maxInFlight = maxInFlight;
  }

  /** Sends one command. @throws {StoreUnavailable} */
  run(key: string | undefined, args: string[]): Promise<unknown> {
    return this.#guard(() => this.#send(key, args));
  }

  /** Runs a script on one key. @throws {StoreUnavailable} */
  script(script: Script, key: string, args: readonly string[]): Promise<unknown> {
    return this.#guard(() => evaluate(script, key, args, (command) => this.#send(key, command)));
  }

  /** Runs a script, and waits until a replica has its effects. @throws {StoreUnavailable} */
  replicatedScript(script: Script, key: string, args: readonly string[], milliseconds: number): Promise<unknown> {
    return this.#guard(() =>
      evaluate(script, key, args, async (command) => {
        // Sent together: WAIT is about the earlier writes of its connection, which may be another one after the reply.
        const replies = [this.#send(key, command), this.#send(key, ["WAIT", "1", String(milliseconds)])];
        const [reply, replicas] = await Promise.all(replies);
        if (Number(replicas) < 1) throw new StoreUnavailable("replicas", new Error("No replica confirmed the change."));
        return reply;
      }),
    );
  }

  #guard(send: () => Promise<unknown>): Promise<unknown> {
    if (this.#inFlight >= this.#maxInFlight) return Promise.reject(new StoreUnavailable("overloaded"));
    if (!this.#breaker.admit()) return Promise.reject(new StoreUnavailable("suspended"));
    this.#inFlight++;
    return new Promise((resolve, reject) => {
      const call = {
        since: performance.now(),
        expire: () => {
          this.#breaker.failed();
          reject(new StoreUnavailable("timeout", new Error("Redis did not reply in time.")));
        },
      };
      this.#deadlines.add(call);
      attempt(send).then(
        (reply) => {
          this.#settled(call);
          this.#breaker.succeeded();
          resolve(reply);
        },
        (error) => {
          this.#settled(call);
          const failure = failureOf(error);
          if (isOutage(failure)) this.#breaker.failed();
          else this.#breaker.succeeded();
          reject(failure);
        },
      );
    });
  }

  #settled(call: { readonly since: number; expire(): void }): void {
    this.#inFlight--;
    this.#deadlines.remove(call);
  }
}

/** A closed client may throw instead of rejecting. */
function attempt(send: () => Promise<unknown>): Promise<unknown> {
  try {
    return send();
  } catch (error) {
    return Promise.reject(error);
  }
}

/** Runs a script by its digest, or whole, if the server does not know it. */
function evaluate(
  script: Script,
  key: string,
  args: readonly string[],
  send: (command: string[]) => Promise<unknown>,
): Promise<unknown> {
  const whole = () => send(["EVAL", script.source, "1", key, ...args]);
  const digest = script.digest();
  if (digest === undefined) return whole();
  return send(["EVALSHA", digest, "1", key, ...args]).catch((error) => {
    if (isNoScript(error)) return whole();
    throw error;
  });
}
