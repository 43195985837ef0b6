import type { InspectorEvent } from "../../protocol/event.ts";
import type { StreamState } from "../state/inspector-state.ts";
import { type ApiClient, ApiFailure } from "./client.ts";
import { readJsonLines } from "./json-lines.ts";

const FIRST_PAUSE = 250;
const LONGEST_PAUSE = 4000;

export interface Follower {
  onEvents(events: readonly InspectorEvent[]): void;
  /** `reason`: what Node says, if it refuses the stream. */
  onStream(state: StreamState, reason?: string): void;
}

/** Follows the events of Node until the page is left. After an interruption it connects again and gets everything anew. */
export async function follow(api: ApiClient, follower: Follower, signal: AbortSignal): Promise<void> {
  let pause = FIRST_PAUSE;
  while (!signal.aborted) {
    let reason: string | undefined;
    try {
      const { body } = await api.stream(signal);
      pause = FIRST_PAUSE;
      if (body !== null) await readJsonLines<InspectorEvent>(body, whenReady(follower));
    } catch (error) {
      if (signal.aborted) return;
      if (error instanceof ApiFailure && error.status === 401) return follower.onStream("earlier");
      if (error instanceof ApiFailure) reason = `${error.message} ${error.remedy ?? ""}`.trim();
    }
    follower.onStream("interrupted", reason);
    await waitFor(pause, signal);
    pause = Math.min(pause * 2, LONGEST_PAUSE);
  }
}

/** Holds back the first events until all of them are there: the page must not flicker when it connects again. */
function whenReady({ onEvents, onStream }: Follower): (events: InspectorEvent[]) => void {
  let held: InspectorEvent[] | undefined = [];
  return (events) => {
    if (held === undefined) return onEvents(events);
    held.push(...events);
    if (!events.some(({ kind }) => kind === "ready")) return;
    const known = held;
    held = undefined;
    onEvents(known);
    onStream("open");
  };
}

/** Also ends when the tab is looked at again: browsers slow down the timers of hidden tabs. */
function waitFor(milliseconds: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(done, milliseconds);
    function done() {
      clearTimeout(timer);
      document.removeEventListener("visibilitychange", done);
      signal.removeEventListener("abort", done);
      resolve();
    }
    document.addEventListener("visibilitychange", done);
    signal.addEventListener("abort", done);
  });
}
