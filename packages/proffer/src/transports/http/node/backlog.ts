import type { ServerResponse } from "node:http";

/** The part of an HTTP/2 stream that is used here. */
interface Stream {
  readonly destroyed: boolean;
  readonly session?: object | undefined;
}

/** The unread bytes of one HTTP/2 connection, and the requests that wait until there are fewer. */
export class Backlog {
  bytes = 0;
  readonly #waiting: (() => void)[] = [];
  #max = 0;

  /** Calls back when at most `max` bytes are unread. */
  wait(max: number, start: () => void): void {
    this.#max = max;
    this.#waiting.push(start);
  }

  add(difference: number): void {
    this.bytes += difference;
    if (this.bytes <= this.#max) for (const start of this.#waiting.splice(0)) start();
  }
}

const backlogs = new WeakMap<object, Backlog>();

/** The stream of a response over HTTP/2; undefined over HTTP/1. */
export function streamOf(response: ServerResponse): Stream | undefined {
  return (response as { stream?: Stream }).stream;
}

/** The backlog of an HTTP/2 connection; undefined over HTTP/1, where a connection has one response at a time. */
export function backlogOf(response: ServerResponse): Backlog | undefined {
  const session = streamOf(response)?.session;
  if (session === undefined) return undefined;
  let backlog = backlogs.get(session);
  if (backlog === undefined) {
    backlog = new Backlog();
    backlogs.set(session, backlog);
  }
  return backlog;
}

/** Whether the client of an HTTP/2 connection must first read all but `max` of its unread bytes. */
export function isOverBacklog(response: ServerResponse, max: number): boolean {
  const session = streamOf(response)?.session;
  const backlog = session && backlogs.get(session);
  return backlog !== undefined && backlog.bytes > max;
}
