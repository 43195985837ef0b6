import type { IncomingMessage, ServerResponse } from "node:http";

/** The requests that may wait on one connection, and on all connections of the process. */
const MAX_WAITING = 256;
const MAX_WAITING_TOTAL = 10_000;

const waiting = new WeakMap<object, number>();
let total = 0;

/**
 * Calls back when the response before this one is written; never if the client disconnects first. Node parses as many
 * requests as a client sends, so a connection with too many waiting ones is closed. Pausing it instead would hide that
 * its client disconnects, and the call before would never be cancelled.
 */
export function waitForTurn(request: IncomingMessage, response: ServerResponse, start: () => void): void {
  const { socket } = request;
  const own = waiting.get(socket) ?? 0;
  if (own >= MAX_WAITING || total >= MAX_WAITING_TOTAL) {
    socket.destroy();
    return;
  }
  count(socket, 1);
  const leave = () => count(socket, -1);
  request.once("close", leave);
  // Node assigns the socket when the response before this one is written.
  response.once("socket", () => {
    request.off("close", leave);
    leave();
    process.nextTick(start);
  });
}

function count(socket: object, difference: number): void {
  waiting.set(socket, (waiting.get(socket) ?? 0) + difference);
  total += difference;
}
