import { connectSilently, cut, pipelineLargeReads, readNothing, writeSlowly } from "./connections.mjs";
import { floodCalls, floodMalformed, floodRequests, repeatIds, sendTooMuch } from "./floods.mjs";
import { askForLongLines, backtrack, occupySessions, outlive, starveTasks } from "./greed.mjs";
import { abandon, abandonPair, tamperWithCursors, tamperWithStates } from "./questions.mjs";
import { cancel, dropSubscriptions, leaveSessions, stealSession } from "./sessions.mjs";
import { cutPipes, floodPipe, killWrapper, leavePipeUnread, signalServer } from "./stdio.mjs";

/** The attacks over HTTP: the name of the count, how many one run of the function makes, and the function. */
const HTTP = [
  ["connections cut (RST, FIN, half-open)", 5, cut],
  ["requests sent byte by byte", 5, writeSlowly],
  ["silent connections", 10, connectSilently],
  ["unread answers", 5, readNothing],
  ["pipelined large reads", 40, pipelineLargeReads],
  ["pipelined requests", 300, floodRequests],
  ["calls that never end", 150, floodCalls],
  ["malformed messages", 103, floodMalformed],
  ["oversized bodies", 3, sendTooMuch],
  ["duplicate ids", 25, repeatIds],
  ["abandoned questions", 15, abandon],
  ["abandoned questions, SSE pair", 10, abandonPair],
  ["modified states", 11, tamperWithStates],
  ["modified cursors", 11, tamperWithCursors],
  ["abandoned sessions", 20, leaveSessions],
  ["stolen sessions", 3, stealSession],
  ["dropped subscriptions", 30, dropSubscriptions],
  ["cancellations", 60, cancel],
  ["handlers that run on", 30, outlive],
  ["busy sessions of one address", 30, occupySessions],
  ["texts for slow patterns", 10, backtrack],
  ["long lines", 5, askForLongLines],
  ["tasks that only wait", 40, starveTasks],
];

/** The attacks over stdio. Each one starts a process, so they take turns. */
const STDIO = [
  ["stdio: pipes cut", 1, cutPipes],
  ["stdio: floods", 2000, floodPipe],
  ["stdio: unread answers", 20, leavePipeUnread],
  ["stdio: signals", 1, signalServer],
  // Windows has no sh.
  ...(process.platform === "win32" ? [] : [["stdio: wrapper killed", 1, killWrapper]]),
];

/** The groups of attacks that run at the same time; the attacks of one group take turns. */
export function lanesOf(only) {
  const chosen = (attacks) =>
    attacks.filter(([name]) => only === undefined || only.some((part) => name.includes(part)));
  return [...chosen(HTTP).map((attack) => [attack]), chosen(STDIO)].filter((lane) => lane.length > 0);
}
