import { utf8Bytes } from "../../support/bytes.ts";

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
