import type { Revision } from "../../protocol/revisions/revision.ts";

/** The status of an answer, by its error. Older revisions know none; the newer ones say which errors have one. */
export function statusOf(code: number | undefined, revision: Revision): number {
  if (code === undefined) return 200;
  if (code === BUSY) return 503;
  if (revision.handshake) return 200;
  return STATUS.get(code) ?? 200;
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
