import { Memo } from "../../support/memo.ts";

/** Bounds the memory of a client that sends a different header value with every request. */
const MAX_ENTRIES = 64;
const MAX_LENGTH = 256;

/** Memoizes a check of a header's value: clients send the same few values with every request. */
export function headerMemo(check: (value: string) => boolean): Memo<boolean> {
  return new Memo(check, MAX_ENTRIES, MAX_LENGTH);
}
