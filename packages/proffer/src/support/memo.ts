/** Returns a function that calls `make` once for each object. */
export function memoized<Key extends object, Value>(make: (key: Key) => Value): (key: Key) => Value {
  const values = new WeakMap<Key, Value>();
  return (key) => {
    let value = values.get(key);
    if (value === undefined) {
      value = make(key);
      values.set(key, value);
    }
    return value;
  };
}

/** Memoizes `make(text)`; bounded in entries and key length. */
export class Memo<Value> {
  readonly #values = new Map<string, Value>();
  readonly #make: (text: string) => Value;
  readonly #max: number;
  readonly #maxLength: number;

  constructor(make: (text: string) => Value, max = 256, maxLength = 4096) {
    this.#make = make;
    this.#max = max;
    this.#maxLength = maxLength;
  }

  get(text: string): Value {
    const known = this.#values.get(text);
    if (known !== undefined) return known;
    const made = this.#make(text);
    if (text.length > this.#maxLength) return made;
    if (this.#values.size >= this.#max) this.#values.clear();
    this.#values.set(text, made);
    return made;
  }
}
