import type { Wire } from "../../protocol/messages.ts";
import type { GuardedStdout } from "./guard.ts";
import type { Framing } from "./input.ts";

/** Bytes that are gathered before a write, and that may be unread before the client counts as congested. */
const ENOUGH = 64 * 1024;

/** A part of this size is written on its own, not copied to join others. */
const LARGE = 4 * 1024;

/**
 * Writes messages to stdout. Messages of one event-loop turn are written together: a system call costs more than a
 * small response.
 */
export class StdioOutput {
  framing: Framing = "lines";
  /** The caller will flush, so `send` need not schedule it. */
  corked = false;
  /** A request has just arrived: responses that only wait for promises are written within this event-loop turn. */
  prompt = false;
  readonly #stdout: GuardedStdout;
  #text = "";
  #scheduled = false;
  #closed = false;

  constructor(stdout: GuardedStdout) {
    this.#stdout = stdout;
  }

  /** The client reads more slowly than we write. */
  get congested(): boolean {
    return this.#stdout.writableLength > ENOUGH && this.#stdout.writableNeedDrain;
  }

  /** The bytes that the client has not read yet. */
  get unread(): number {
    return this.#text.length + this.#stdout.writableLength;
  }

  send(wire: Wire): void {
    if (this.framing !== "lines") this.#text += `Content-Length: ${byteLength(wire)}\r\n\r\n`;
    if (typeof wire === "string") this.#text += wire;
    else for (const part of wire) this.#addPart(part);
    if (this.framing === "lines") this.#text += "\n";
    if (this.#text.length > ENOUGH) this.flush();
    if (this.corked || this.#scheduled || this.#text === "") return;
    this.#scheduled = true;
    // `nextTick` runs after all pending promises; an immediate also lets other input be read first.
    if (this.prompt) process.nextTick(this.#flushScheduled);
    else setImmediate(this.#flushScheduled);
  }

  flush(): void {
    const text = this.#text;
    this.#text = "";
    if (text !== "" && !this.#closed) this.#stdout.write(text);
  }

  /** Calls back when the client has read its messages; in the next turn if it already has. */
  whenRead(callback: () => void): void {
    this.flush();
    if (this.#stdout.writableNeedDrain) this.#stdout.once("drain", callback);
    else setImmediate(callback);
  }

  /** Resolves when everything is written to the operating system. */
  written(): Promise<void> {
    this.flush();
    return new Promise((resolve) => {
      if (this.#closed) resolve();
      else this.#stdout.write("", () => resolve());
    });
  }

  /** Drops further output: the client is gone, and a write would fail again. */
  close(): void {
    this.#closed = true;
  }

  readonly #flushScheduled = (): void => {
    this.#scheduled = false;
    this.prompt = false;
    this.flush();
  };

  #addPart(part: string | Uint8Array): void {
    if (typeof part === "string" && part.length < LARGE) {
      this.#text += part;
      return;
    }
    this.flush();
    if (this.#closed) return;
    // A queued text is encoded now: Node would copy a queue of texts as a whole before writing it.
    this.#stdout.write(typeof part === "string" && this.#stdout.writableLength > 0 ? Buffer.from(part) : part);
  }
}

function byteLength(wire: Wire): number {
  if (typeof wire === "string") return Buffer.byteLength(wire);
  return wire.reduce((sum, part) => sum + Buffer.byteLength(part), 0);
}
