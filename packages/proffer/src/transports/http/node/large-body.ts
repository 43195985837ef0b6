import type { ServerResponse } from "node:http";
import { room } from "../../../support/room.ts";
import { type UnreadResponse, unreadResponses } from "./unread.ts";

/** A larger body is written in slices of this size. */
export const SLICE = 256 * 1024;

/** Replaces a written slice, so that its memory can be freed before the client has taken the rest. */
const WRITTEN = new Uint8Array();

/**
 * The rest of a body that is larger than a slice. The next slice is written when the client has taken the one before:
 * the progress of a single large write would not be visible.
 */
export class LargeBody {
  readonly #unread: UnreadResponse;
  readonly #slices: Uint8Array[];
  #at = 0;

  constructor(unread: UnreadResponse, parts: readonly Uint8Array[]) {
    this.#unread = unread;
    this.#slices = parts.flatMap(toSlices);
  }

  /** Writes slices for as long as the client takes them, and continues when it has taken them. */
  send(): void {
    const { response } = this.#unread;
    this.#unread.held = this.#slices.reduce((sum, slice) => sum + slice.length, 0);
    this.#write(response);
    if (response.writableLength === 0) return;
    unreadResponses.add(this.#unread);
    response.on("drain", () => {
      if (!response.writableEnded) this.#write(response);
      this.#count();
    });
    response.once("close", () => this.#count());
  }

  #count(): void {
    unreadResponses.update(this.#unread);
    if (room.waiting > 0) room.admit();
  }

  #write(response: ServerResponse): void {
    while (this.#at < this.#slices.length) {
      response.cork();
      for (let size = 0; size < SLICE && this.#at < this.#slices.length; ) size += this.#writeNext(response);
      response.uncork();
      if (response.writableLength > 0 && this.#at < this.#slices.length) return;
    }
    response.end();
  }

  #writeNext(response: ServerResponse): number {
    const slice = this.#slices[this.#at] as Uint8Array;
    this.#slices[this.#at++] = WRITTEN;
    response.write(slice);
    this.#unread.held -= slice.length;
    return slice.length;
  }
}

function toSlices(part: Uint8Array): Uint8Array[] {
  const slices = [];
  for (let at = 0; at < part.length; at += SLICE) slices.push(part.subarray(at, at + SLICE));
  return slices;
}
