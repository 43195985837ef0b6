import { randomBytes } from "node:crypto";
import type { Draft, HistoryEntry } from "../protocol/api.ts";
import type { CallState } from "../protocol/data.ts";
import type { HistoryStore, Remembered } from "../support/host.ts";
import { defined } from "../support/values.ts";

const MAX_CALLS = 200;
const MAX_BYTES = 20 * 1024 * 1024;

/** The newest 200 calls, of at most 20 MB. A store keeps them over restarts; without one they end with the process. */
export class History {
  readonly #store: HistoryStore | undefined;
  readonly #changed: () => void;
  readonly #calls = new Map<string, { readonly remembered: Remembered; readonly bytes: number }>();
  #bytes = 0;

  constructor(store: HistoryStore | undefined, changed: () => void) {
    this.#store = store;
    this.#changed = changed;
    for (const remembered of store?.read() ?? []) this.#keep(remembered);
  }

  /** Remembers a call that has ended and returns its id. */
  add(call: CallState): string {
    const id = randomBytes(6).toString("hex");
    const remembered = { id, call };
    const { dropped, line } = this.#keep(remembered);
    if (dropped) this.#rewrite();
    else this.#store?.append(line);
    this.#changed();
    return id;
  }

  get(id: string): CallState | undefined {
    return this.#calls.get(id)?.remembered.call;
  }

  /** Newest first. */
  list(): HistoryEntry[] {
    return [...this.#calls.values()].map(({ remembered }) => toEntry(remembered)).reverse();
  }

  /** Notes the name under which a call is saved. */
  setSaved(id: string, saved: string): void {
    const known = this.#calls.get(id);
    if (known === undefined) return;
    this.#calls.set(id, { ...known, remembered: { ...known.remembered, saved } });
    this.#rewrite();
    this.#changed();
  }

  /** Forgets a call, or all of them. */
  forget(id?: string): void {
    if (id === undefined) {
      this.#calls.clear();
      this.#bytes = 0;
    } else {
      this.#bytes -= this.#calls.get(id)?.bytes ?? 0;
      this.#calls.delete(id);
    }
    this.#rewrite();
    this.#changed();
  }

  #keep(remembered: Remembered): { readonly dropped: boolean; readonly line: string } {
    const line = JSON.stringify(remembered);
    const bytes = Buffer.byteLength(line);
    this.#calls.set(remembered.id, { remembered, bytes });
    this.#bytes += bytes;
    let dropped = false;
    for (const [id, { bytes }] of this.#calls) {
      if (this.#calls.size <= MAX_CALLS && this.#bytes <= MAX_BYTES) break;
      this.#calls.delete(id);
      this.#bytes -= bytes;
      dropped = true;
    }
    return { dropped, line };
  }

  #rewrite(): void {
    this.#store?.replace([...this.#calls.values()].map(({ remembered }) => JSON.stringify(remembered)));
  }
}

function toEntry({ id, call, saved }: Remembered): HistoryEntry {
  const { at, status, ms, runs } = call;
  return { id, at, draft: toDraft(call), status, runs: runs.length, ...defined({ ms, saved }) };
}

/** The request of a call with the answers that were given, in their order. */
function toDraft({ revision, method, params, asks, result }: CallState): Draft {
  const answers = asks.flatMap(({ answer }) => answer ?? []);
  return { revision, method, params, ...(answers.length > 0 && { answers }), ...defined({ result }) };
}
