/** What a server writes to stderr: the end of it is kept. */
export class Output {
  static readonly #MAX = 1024 * 1024;
  readonly #added: (text: string) => void;
  #text = "";

  constructor(added: (text: string) => void) {
    this.#added = added;
  }

  get text(): string {
    return this.#text;
  }

  add(text: string): void {
    const kept = text.slice(-Output.#MAX);
    this.#text = (this.#text + kept).slice(-Output.#MAX);
    this.#added(kept);
  }
}
