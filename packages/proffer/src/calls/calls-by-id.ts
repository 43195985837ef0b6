import type { RequestId } from "../protocol/messages.ts";
import type { Call } from "./call.ts";

/** The calls of a connection that are in work, by their ids. */
export class CallsById {
  /**
   * Their places, and not the calls themselves. A Map that grows and shrinks leaves tables behind, each of which holds
   * the next: as soon as the garbage collector takes one of them for old, it copies all that is in the later ones with
   * every small collection, and finds out that it is dead only in a large one. Of numbers it copies little.
   */
  readonly #places = new Map<RequestId, number>();
  readonly #calls: (Call | undefined)[] = [];
  readonly #free: number[] = [];

  get size(): number {
    return this.#places.size;
  }

  has(id: RequestId): boolean {
    return this.#places.has(id);
  }

  get(id: RequestId): Call | undefined {
    const place = this.#places.get(id);
    return place === undefined ? undefined : this.#calls[place];
  }

  add(call: Call): void {
    call.slot = this.#free.pop() ?? this.#calls.length;
    this.#calls[call.slot] = call;
    this.#places.set(call.id, call.slot);
  }

  /** Whether it was there: a refused duplicate is not, though another call has its id. */
  delete(call: Call): boolean {
    if (call.slot === -1) return false;
    this.#places.delete(call.id);
    this.#calls[call.slot] = undefined;
    this.#free.push(call.slot);
    call.slot = -1;
    return true;
  }

  all(): Call[] {
    return this.#calls.filter((call) => call !== undefined);
  }
}
