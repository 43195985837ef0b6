import { Kept } from "../../support/memo.ts";

/** More than this, and a client who varies a header at will would fill the memory. */
const MAX_REMEMBERED = 64;
const MAX_LENGTH = 256;

/** Remembers what was decided about a header's value: clients send the same few values with every request. */
export class Verdicts extends Kept<boolean> {
  constructor(judge: (value: string) => boolean) {
    super(judge, MAX_REMEMBERED, MAX_LENGTH);
  }

  allows(value: string): boolean {
    return this.of(value);
  }
}
