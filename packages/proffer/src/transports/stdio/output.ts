import type { Wire } from "../../protocol/messages.ts";
import type { GuardedStdout } from "./guard.ts";
import type { Framing } from "./input.ts";

/** So much is gathered before it is written, and so much may wait for the client to read it. */
const ENOUGH = 64 * 1024;

/** A part of this size is written by itself rather than copied to join others. */
const LARGE = 4 * 1024;

/**
 * Writes messages to stdout. What is sent in one turn of the event loop is written at once: a system call costs more
 * than a small answer.
 */
export class StdioOutput {
  framing: Framing = "lines";
  /** Somebody will flush soon, so that there is no need to see to it. */
  corked = false;
  /** A request has just arrived: answers that need no more than promises leave without another turn of the loop. */
  prompt = false;
  readonly #stdout: GuardedStdout;
  #text = "";
  #scheduled = false;
  #closed = false;

  constructor(stdout: GuardedStdout) {
    this.#stdout = stdout;
  }

  /** The client does not read as fast as we write. */
  get congested(): boolean {
    return this.#stdout.writableLength > ENOUGH && this.#stdout.writableNeedDrain;
  }

  /** How much was sent that the client has not taken yet. */
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
    // Called among promises, `nextTick` waits for all of them; an immediate waits for whatever else is ready to be read.
    if (this.prompt) process.nextTick(this.#flushScheduled);
    else setImmediate(this.#flushScheduled);
  }

  flush(): void {
    const text = this.#text;
    this.#text = "";
    if (text !== "" && !this.#closed) this.#stdout.write(text);
  }

  /** Calls back when the client has read what it was sent, at the next moment if it has already. */
  whenRead(callback: () => void): void {
    this.flush();
    if (this.#stdout.writableNeedDrain) this.#stdout.once("drain", callback);
    else setImmediate(callback);
  }

  /** Resolves when the operating system has taken all that was sent. */
  written(): Promise<void> {
    this.flush();
    return new Promise((resolve) => {
      if (this.#closed) resolve();
      else this.#stdout.write("", () => resolve());
    });
  }

  /** Nobody reads any more: writing again would only fail again. */
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
    // A text that has to wait is encoded now: a queue of texts would be copied as a whole once it is their turn.
    this.#stdout.write(typeof part === "string" && this.#stdout.writableLength > 0 ? Buffer.from(part) : part);
  }
}

function byteLength(wire: Wire): number {
  if (typeof wire === "string") return Buffer.byteLength(wire);
  return wire.reduce((sum, part) => sum + Buffer.byteLength(part), 0);
}
