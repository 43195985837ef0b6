import type { ErrorObject } from "../../protocol/errors.ts";
import { isObject } from "../../protocol/messages.ts";
import type { Revision } from "../../protocol/revisions/revision.ts";

/** The HTTP status of an error. Older revisions always use 200; the newest maps some error codes to a status. */
export function statusOf(code: number, revision: Revision): number {
  if (code === BUSY) return 503;
  if (revision.handshake) return 200;
  return STATUS.get(code) ?? 200;
}

/** The seconds after which a caller may try again whom a `Busy` refused; undefined for other errors. */
export function retryAfter({ code, data }: ErrorObject): number | undefined {
  const seconds = code === BUSY && isObject(data) ? data.retryAfter : undefined;
  return Number.isInteger(seconds) ? (seconds as number) : undefined;
}

const BUSY = -31000;
const STATUS: ReadonlyMap<number, number> = new Map([
  [-32700, 400],
  [-32600, 400],
  [-32601, 404],
  [-32020, 400],
  [-32021, 400],
  [-32022, 400],
]);
