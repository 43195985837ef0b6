import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** A temporary folder for one run, which is removed with this process at the latest. */
export class Folder {
  path = mkdtempSync(join(tmpdir(), "proffer-faults-"));
  #atExit = () => this.#delete();

  constructor() {
    process.once("exit", this.#atExit);
  }

  remove() {
    process.off("exit", this.#atExit);
    this.#delete();
  }

  #delete() {
    rmSync(this.path, { recursive: true, force: true, maxRetries: 3 });
  }
}
