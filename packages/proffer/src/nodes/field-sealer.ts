import { type Sealer, type SealingServer, sealerOf } from "../support/seal.ts";
import type { Later, RecordFields } from "./ports.ts";

/**
 * Writes and reads the sealed fields of records: each is sealed for its place, and opens in no other record or field, and
 * for no other server with the same keys.
 */
export class FieldSealer {
  readonly #purpose: Parameters<Sealer["seal"]>[0];
  readonly #server: SealingServer | undefined;

  /** Without a server, fields stay as they are: nobody else reads the memory of this process. */
  constructor(purpose: Parameters<Sealer["seal"]>[0], server: SealingServer | undefined) {
    this.#purpose = purpose;
    this.#server = server;
  }

  seal(id: string, field: string, text: string): Later<string> {
    const server = this.#server;
    return server === undefined ? text : sealerOf(server).seal(this.#purpose, text, boundTo(server, id, field));
  }

  /** Undefined if the field is missing, was tampered with, or was sealed with a key that is gone. */
  open(id: string, field: string, fields: RecordFields): Later<string | undefined> {
    const sealed = fields[field];
    const server = this.#server;
    if (sealed === undefined || server === undefined) return sealed;
    return sealerOf(server).open(this.#purpose, sealed, boundTo(server, id, field));
  }

  async openJson<Value>(id: string, field: string, fields: RecordFields): Promise<Value | undefined> {
    const text = await this.open(id, field, fields);
    return text === undefined ? undefined : JSON.parse(text);
  }
}

function boundTo({ info }: SealingServer, id: string, field: string): string {
  return JSON.stringify([info.name, id, field]);
}
