import type { Writable } from "node:stream";
import type { Wire } from "../protocol/messages.ts";
import type { Framing } from "./stdio-input.ts";

/**
 * Writes messages to stdout. What is sent in one turn of the event loop is written at once: a system call costs more
 * than a small answer.
 */
export class StdioOutput {
  framing: Framing = "lines";
  readonly #stream: Pick<Writable, "write">;
  readonly #congested: () => void;
  #text = "";
  #scheduled = false;

  /** `congested` is called when the client does not read as fast as we write. */
  constructor(stream: Pick<Writable, "write">, congested: () => void) {
    this.#stream = stream;
    this.#congested = congested;
  }

  send(wire: Wire): void {
    if (typeof wire === "string") {
      this.#text += this.framing === "lines" ? `${wire}\n` : `${header(Buffer.byteLength(wire))}${wire}`;
    } else {
      const [head, body, tail] = wire;
      this.#text += this.framing === "lines" ? head : header(head.length + body.length + tail.length) + head;
      this.flush();
      this.#write(body);
      this.#text = this.framing === "lines" ? `${tail}\n` : tail;
    }
    if (this.#scheduled) return;
    this.#scheduled = true;
    setImmediate(this.flush);
  }

  readonly flush = (): void => {
    this.#scheduled = false;
    if (this.#text === "") return;
    const text = this.#text;
    this.#text = "";
    this.#write(text);
  };

  #write(data: string | Uint8Array): void {
    if (!this.#stream.write(data)) this.#congested();
  }
}

function header(bytes: number): string {
  return `Content-Length: ${bytes}\r\n\r\n`;
}
