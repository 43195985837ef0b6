import { atEndOfTurn } from "./async.ts";

/** A part of the process that holds bytes until they are sent. */
export interface RoomUser {
  /** The bytes that wait to be sent; possibly too many until `recount` is called. */
  readonly bytes: number;
  recount?(): void;
  /** Drops the bytes that would wait longest; false if there are none to drop. */
  makeRoom?(): boolean;
}

/** A read that waits for room. */
interface Waiter {
  readonly bytes: number;
  readonly turn: number;
  readonly admit: () => void;
}

const MAX_BYTES = 256 * 1024 * 1024;
const PATIENCE = 5000;
const CHECK_INTERVAL = 100;

/**
 * The memory for bytes that wait to be sent, of the whole process. A read of known size reserves its bytes before it
 * allocates them, and waits while clients have too many others unread. An answer larger than all of the room gets it
 * when it is alone.
 */
export class Room {
  max: number;
  /** Milliseconds without room for a waiting read after which bytes are dropped to make room. */
  patience: number;
  readonly #users = new Set<RoomUser>();
  /** By turn. */
  readonly #waiting: Waiter[] = [];
  /** The last turn of each caller that waits, or waited beside others. */
  readonly #turns = new Map<string, number>();
  #turn = 0;
  #reserved = 0;
  #lastAdmitted = 0;
  #timer: ReturnType<typeof setInterval> | undefined;

  constructor(max = MAX_BYTES, patience = PATIENCE) {
    this.max = max;
    this.patience = patience;
  }

  /** The number of reads that wait. */
  get waiting(): number {
    return this.#waiting.length;
  }

  /** Counts the bytes of a user from now on. */
  share(user: RoomUser): void {
    this.#users.add(user);
  }

  /**
   * Reserves room; undefined if there is room now. The promise rejects when the reader's signal aborts first. The
   * signal is read only to wait, because creating one costs more than a small call. Callers with a name take turns.
   */
  reserve(bytes: number, reader?: { readonly signal: AbortSignal }, caller?: string): Promise<void> | undefined {
    if (this.#waiting.length > 0 || !this.#fits(bytes)) return this.#wait(bytes, reader?.signal, caller);
    this.#reserved += bytes;
    return undefined;
  }

  /** Returns reserved room. Others get it at the end of this turn, when the answer that was read is counted. */
  release(bytes: number): void {
    this.#reserved -= bytes;
    if (this.#waiting.length > 0) atEndOfTurn(() => this.admit());
  }

  /** Lets reads start that have room now, in their order. */
  admit(): void {
    for (let next = this.#waiting[0]; next !== undefined && this.#fits(next.bytes); next = this.#waiting[0]) {
      this.#waiting.shift();
      this.#reserved += next.bytes;
      this.#turn = next.turn;
      this.#lastAdmitted = performance.now();
      next.admit();
    }
    if (this.#waiting.length > 0) return;
    this.#turns.clear();
    clearInterval(this.#timer);
    this.#timer = undefined;
  }

  #wait(bytes: number, signal: AbortSignal | undefined, caller: string | undefined): Promise<void> {
    return new Promise((admit, reject) => {
      signal?.throwIfAborted();
      const waiter = { bytes, admit, turn: this.#nextTurn(caller) };
      signal?.addEventListener("abort", () => {
        const at = this.#waiting.indexOf(waiter);
        if (at < 0) return;
        this.#waiting.splice(at, 1);
        reject(signal.reason);
        this.admit();
      });
      const after = this.#waiting.findIndex(({ turn }) => turn > waiter.turn);
      this.#waiting.splice(after < 0 ? this.#waiting.length : after, 0, waiter);
      if (this.#timer !== undefined) return;
      this.#lastAdmitted = performance.now();
      this.#timer = setInterval(() => this.#check(), Math.min(CHECK_INTERVAL, this.patience));
    });
  }

  /** One caller with many reads must not make the others wait for all of them. */
  #nextTurn(caller: string | undefined): number {
    if (caller === undefined) return this.#turn;
    const turn = Math.max(this.#turn, (this.#turns.get(caller) ?? -1) + 1);
    this.#turns.set(caller, turn);
    return turn;
  }

  #check(): void {
    this.admit();
    if (this.#waiting.length === 0 || performance.now() - this.#lastAdmitted < this.patience) return;
    for (const user of this.#users) if (user.makeRoom?.()) break;
    this.#lastAdmitted = performance.now();
    this.admit();
  }

  #fits(bytes: number): boolean {
    if (this.#hasRoom(bytes)) return true;
    for (const user of this.#users) user.recount?.();
    return this.#hasRoom(bytes);
  }

  #hasRoom(bytes: number): boolean {
    let used = this.#reserved;
    for (const user of this.#users) used += user.bytes;
    return used === 0 || used + bytes <= this.max;
  }
}

export const room: Room = /* @__PURE__ */ new Room();
