import type { Wire } from "../protocol/messages.ts";
import type { GuardedStdout } from "./stdio-guard.ts";
import type { Framing } from "./stdio-input.ts";

/** So much is gathered before it is written, and so much may wait for the client to read it. */
const ENOUGH = 64 * 1024;

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
    if (typeof wire === "string") this.#addText(wire);
    else this.#addParts(...wire);
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

  #addText(message: string): void {
    this.#text += this.framing === "lines" ? `${message}\n` : `${header(Buffer.byteLength(message))}${message}`;
  }

  #addParts(head: string, body: Uint8Array | string, tail: string): void {
    if (this.framing !== "lines") {
      this.#text += header(Buffer.byteLength(head) + Buffer.byteLength(body) + Buffer.byteLength(tail));
    }
    this.#text += head;
    this.flush();
    if (!this.#closed) this.#stdout.write(body);
    this.#text = this.framing === "lines" ? `${tail}\n` : tail;
  }
}

function header(bytes: number): string {
  return `Content-Length: ${bytes}\r\n\r\n`;
}
