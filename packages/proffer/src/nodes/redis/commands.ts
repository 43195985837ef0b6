import { utf8Bytes } from "../../support/bytes.ts";
import { StoreUnavailable } from "../ports.ts";
import type { Send } from "./client.ts";
import { isNoScript } from "./failures.ts";
import { Guard, type GuardLimits } from "./limited-calls.ts";

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

/** A Lua script. Redis keeps scripts that it has seen, and runs them by their SHA-1. */
export class Script {
  readonly source: string;
  #digest: string | undefined;
  #computes = false;

  constructor(source: string) {
    this.source = source;
  }

  /** The digest; undefined at first, so that the first call sends the whole script. */
  digest(): string | undefined {
    if (!this.#computes) {
      this.#computes = true;
      void this.#compute();
    }
    return this.#digest;
  }

  async #compute(): Promise<void> {
    const bytes = new Uint8Array(await crypto.subtle.digest("SHA-1", utf8Bytes(this.source)));
    this.#digest = Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
  }
}
