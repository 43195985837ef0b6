import type { Sealer } from "../support/seal.ts";
import type { Later, RecordFields } from "./ports.ts";

/** Writes and reads the sealed fields of records: each is sealed for its place, and opens in no other record or field. */
export class FieldSealer {
  readonly #purpose: Parameters<Sealer["seal"]>[0];
  readonly #sealer: Sealer | undefined;

  /** Without a sealer, fields stay as they are: nobody else reads the memory of this process. */
  constructor(purpose: Parameters<Sealer["seal"]>[0], sealer: Sealer | undefined) {
    this.#purpose = purpose;
    this.#sealer = sealer;
  }

  seal(id: string, field: string, text: string): Later<string> {
    return this.#sealer === undefined ? text : this.#sealer.seal(this.#purpose, text, `${id} ${field}`);
  }

  /** Undefined if the field is missing, was tampered with, or was sealed with a key that is gone. */
  open(id: string, field: string, fields: RecordFields): Later<string | undefined> {
    const sealed = fields[field];
    if (sealed === undefined || this.#sealer === undefined) return sealed;
    return this.#sealer.open(this.#purpose, sealed, `${id} ${field}`);
  }

  async openJson<Value>(id: string, field: string, fields: RecordFields): Promise<Value | undefined> {
    const text = await this.open(id, field, fields);
    return text === undefined ? undefined : JSON.parse(text);
  }
}
