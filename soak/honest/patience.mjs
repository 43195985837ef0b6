import { setTimeout as sleep } from "node:timers/promises";
import { readAll, send } from "../wire.mjs";

const BUSY = new Set([429, 503]);
/** No server under test asks for a longer pause, and a client that waited for minutes would check nothing. */
const LONGEST_PAUSE = 5;

/** Sends a request again while the server is busy, as its `Retry-After` says, and counts the refusals. */
export async function sendPatiently(port, options, tally) {
  for (;;) {
    let response;
    try {
      response = await send(port, options);
    } catch (error) {
      // The server closes idle connections; a request may be sent on one at that moment.
      if (error.code === "ECONNRESET" && error.reused) continue;
      throw error;
    }
    const pause = Number(response.headers["retry-after"]);
    if (!BUSY.has(response.statusCode) || !(pause >= 0)) return response;
    tally.refused(response.statusCode);
    await readAll(response);
    await sleep(Math.min(pause, LONGEST_PAUSE) * 1000, undefined, { signal: options.signal });
  }
}
