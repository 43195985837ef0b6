import type { Api, ApiError, InspectorEvent, ResponseTo } from "../../protocol/api.ts";
import { readJsonLines } from "../text/json.ts";
import type { StreamState } from "./inspector-state.ts";

type Failure = Pick<ApiError["error"], "message" | "remedy">;

/** Node refused a request of the page. */
export class ApiFailure extends Error {
  readonly status: number;
  readonly remedy: string | undefined;

  constructor(status: number, { message, remedy }: Failure) {
    super(message);
    this.status = status;
    this.remedy = remedy;
  }
}

export interface ApiClient {
  post<Name extends keyof Api>(name: Name, body: Api[Name]["in"]): Promise<ResponseTo<Name>>;
  /** The response of `events`, whose body is endless. */
  stream(signal: AbortSignal): Promise<Response>;
}

export function createApiClient(secret: string): ApiClient {
  async function send(name: string, body: unknown, signal?: AbortSignal): Promise<Response> {
    const response = await fetch(`/api/${name}`, {
      method: "POST",
      headers: { authorization: `Bearer ${secret}`, "content-type": "application/json" },
      body: JSON.stringify(body),
      cache: "no-store",
      credentials: "omit",
      redirect: "error",
      ...(signal ? { signal } : {}),
    });
    if (response.ok) return response;
    const unreadable = { message: `The inspector answered with HTTP status ${response.status}.` };
    const { error }: { error: Failure } = await response.json().catch(() => ({ error: unreadable }));
    throw new ApiFailure(response.status, error);
  }
  return {
    post: async (name, body) => (await send(name, body)).json(),
    stream: (signal) => send("events", {}, signal),
  };
}

const KEPT_AS = "proffer-inspector-secret";

/**
 * Takes the secret of this start from the fragment of the address, where no server and no log sees it, keeps it for this tab
 * and removes it from the address and from the history of the browser.
 */
export function takeSecret(): string | undefined {
  const fragment = new URLSearchParams(location.hash.slice(1));
  const given = fragment.get("k");
  if (given) {
    sessionStorage.setItem(KEPT_AS, given);
    history.replaceState(history.state, "", location.pathname + location.search);
  }
  return sessionStorage.getItem(KEPT_AS) ?? undefined;
}

const FIRST_PAUSE = 250;
const LONGEST_PAUSE = 4000;

interface Follower {
  onEvents(events: readonly InspectorEvent[]): void;
  /** @param reason - why Node refuses the stream. */
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
  let waiting: InspectorEvent[] | undefined = [];
  return (events) => {
    if (waiting === undefined) return onEvents(events);
    waiting.push(...events);
    if (!events.some(({ kind }) => kind === "ready")) return;
    const known = waiting;
    waiting = undefined;
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
