/** A result that is serialized once and sent many times. Middleware reads its `value`. */
export class SerializedResult {
  readonly value: object;
  /** The JSON of the whole result, in the shape of one revision. */
  readonly json: string;
  #bytes: Uint8Array | undefined;

  constructor(value: object, json: string) {
    this.value = value;
    this.json = json;
  }

  get bytes(): Uint8Array {
    this.#bytes ??= new TextEncoder().encode(this.json);
    return this.#bytes;
  }
}
