import { StoreUnavailable } from "../unavailable.ts";
import type { Send } from "./client.ts";
import { isNoScript } from "./failure.ts";
import { Guard, type GuardLimits } from "./guard.ts";
import type { Script } from "./script.ts";

/** Sends commands and scripts. */
export class Commands {
  readonly #send: Send;
  readonly #guard: Guard;

  constructor(send: Send, limits: GuardLimits) {
    this.#send = send;
    this.#guard = new Guard(limits);
  }

  /** Sends one command. @throws {StoreUnavailable} */
  run(key: string | undefined, args: string[]): Promise<unknown> {
    return this.#guard.run(() => this.#send(key, args));
  }

  /** Runs a script on one key. @throws {StoreUnavailable} */
  script(script: Script, key: string, args: readonly string[]): Promise<unknown> {
    return this.#guard.run(() => evaluate(script, key, args, (command) => this.#send(key, command)));
  }

  /** Runs a script, and waits until a replica has its effects. @throws {StoreUnavailable} */
  replicatedScript(script: Script, key: string, args: readonly string[], milliseconds: number): Promise<unknown> {
    return this.#guard.run(() =>
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
