/** More than this, and a client who varies a header at will would fill the memory. */
const MAX_REMEMBERED = 64;
const MAX_LENGTH = 256;

/** Remembers what was decided about a header's value: clients send the same few values with every request. */
export class Verdicts {
  readonly #judge: (value: string) => boolean;
  readonly #known = new Map<string, boolean>();

  constructor(judge: (value: string) => boolean) {
    this.#judge = judge;
  }

  allows(value: string): boolean {
    const known = this.#known.get(value);
    if (known !== undefined) return known;
    const verdict = this.#judge(value);
    if (value.length > MAX_LENGTH) return verdict;
    if (this.#known.size >= MAX_REMEMBERED) this.#known.clear();
    this.#known.set(value, verdict);
    return verdict;
  }
}
