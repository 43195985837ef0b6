/** How many are kept, of texts of what length: more would be those that are made for one call. */
const MAX_KEPT = 256;
const MAX_LENGTH = 4096;

/** Values by the text that they are made of, for texts that come again and again. */
export class Kept<Value> {
  readonly #values = new Map<string, Value>();
  readonly #make: (text: string) => Value;

  constructor(make: (text: string) => Value) {
    this.#make = make;
  }

  of(text: string): Value {
    const known = this.#values.get(text);
    if (known !== undefined) return known;
    const made = this.#make(text);
    if (this.#values.size >= MAX_KEPT) this.#values.clear();
    if (text.length <= MAX_LENGTH) this.#values.set(text, made);
    return made;
  }
}
