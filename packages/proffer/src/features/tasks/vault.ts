import type { Later, RecordFields } from "../../nodes/ports.ts";
import { ReplayLog } from "../../questions/replay-log.ts";
import type { Sealer } from "../../support/seal.ts";
import { JOURNAL } from "./record.ts";

/** Writes and reads the sealed fields of tasks. */
export class Vault {
  readonly #sealer: Sealer | undefined;

  /** Without a sealer, fields stay as they are: nobody else reads the memory of this process. */
  constructor(sealer: Sealer | undefined) {
    this.#sealer = sealer;
  }

  /** Seals a field for its place: in another record or under another name it does not open. */
  seal(id: string, field: string, text: string): Later<string> {
    return this.#sealer === undefined ? text : this.#sealer.seal("task", text, `${id} ${field}`);
  }

  /** Undefined if the field is missing, was tampered with, or was sealed with a key that is gone. */
  open(id: string, field: string, fields: RecordFields): Later<string | undefined> {
    const sealed = fields[field];
    if (sealed === undefined || this.#sealer === undefined) return sealed;
    return this.#sealer.open("task", sealed, `${id} ${field}`);
  }

  async openJson<Value>(id: string, field: string, fields: RecordFields): Promise<Value | undefined> {
    const text = await this.open(id, field, fields);
    return text === undefined ? undefined : JSON.parse(text);
  }

  /** The answers and steps of a task; undefined if one of them cannot be opened. */
  async openJournal(id: string, fields: RecordFields): Promise<ReplayLog | undefined> {
    const log = new ReplayLog();
    for (const field of Object.keys(fields)) {
      if (!field.startsWith(JOURNAL)) continue;
      const json = await this.open(id, field, fields);
      if (json === undefined) return undefined;
      log.add(field.slice(JOURNAL.length), json);
    }
    return log;
  }

  /** The entries of a log as fields. */
  async sealJournal(id: string, log: ReplayLog): Promise<Record<string, string>> {
    const fields: Record<string, string> = {};
    for (const line of log.text.split("\n").slice(1)) {
      const end = line.indexOf("\t");
      const field = JOURNAL + line.slice(0, end);
      fields[field] = await this.seal(id, field, line.slice(end + 1));
    }
    return fields;
  }
}
