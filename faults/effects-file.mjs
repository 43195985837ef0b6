import { closeSync, openSync, readSync } from "node:fs";

const CHUNK = 1 << 20;

/** Follows the file to which all nodes append their effects, a line for each. */
export class EffectsFile {
  path;
  #ledger;
  #descriptor;
  #rest = "";
  #buffer = Buffer.alloc(CHUNK);

  constructor(path, ledger) {
    this.path = path;
    this.#ledger = ledger;
    this.#descriptor = openSync(path, "a+");
  }

  /** Passes the new lines to the ledger. */
  read() {
    for (;;) {
      const length = readSync(this.#descriptor, this.#buffer, 0, CHUNK, null);
      if (length === 0) return;
      const lines = (this.#rest + this.#buffer.toString("latin1", 0, length)).split("\n");
      this.#rest = lines.pop();
      for (const line of lines) this.#ledger.note(...line.split(" "));
    }
  }

  close() {
    closeSync(this.#descriptor);
  }
}
