import type { InspectorEvent, InspectorFinding } from "../../protocol/api.ts";
import type { Abilities, CallState, Connection, Edit, Lane, Offer, Target, WireLine } from "../../protocol/data.ts";
import { itemId } from "./calls.ts";

/** How the page is connected to Node. "earlier": the secret is of an earlier start. */
export type StreamState = "connecting" | "open" | "interrupted" | "earlier";

export type LiveContent = Extract<InspectorEvent, { kind: "live" }>;

/** The state of the inspector. It is a function of the events of Node, so all tabs show the same. */
export interface InspectorState {
  readonly ready: boolean;
  readonly version: string;
  readonly target: Target | undefined;
  readonly abilities: Abilities;
  readonly revisions: readonly string[];
  readonly profiles: readonly string[];
  readonly connection: Connection;
  /** By revision. */
  readonly offers: ReadonlyMap<string, Offer>;
  readonly lines: readonly WireLine[];
  readonly lanes: readonly Lane[];
  /** By id, in the order of their first event. */
  readonly calls: ReadonlyMap<string, CallState>;
  readonly edit: { readonly edit: Edit; readonly at: number } | undefined;
  /** The changes of the last edits that nobody has looked at, by the ids of items. */
  readonly unseen: ReadonlyMap<string, "added" | "removed" | "changed">;
  readonly stderr: string;
  /** By revision and URI. */
  readonly live: ReadonlyMap<string, LiveContent>;
  /** The findings about the messages of the server. */
  readonly findings: readonly InspectorFinding[];
  /** Grows with each change of the history. */
  readonly historyVersion: number;
}

export const INITIAL_STATE: InspectorState = {
  ready: false,
  version: "",
  target: undefined,
  abilities: { source: false, calls: false, keepsHistory: false, saves: false },
  revisions: [],
  profiles: [],
  connection: { state: "connecting" },
  offers: new Map(),
  lines: [],
  lanes: [],
  calls: new Map(),
  edit: undefined,
  unseen: new Map(),
  stderr: "",
  live: new Map(),
  findings: [],
  historyVersion: 0,
};

export function liveKey(revision: string, uri: string): string {
  return `${revision} ${uri}`;
}

export interface PageState {
  readonly inspector: InspectorState;
  readonly stream: StreamState;
  /** Why Node refuses the stream. */
  readonly refusal: string | undefined;
}

/** The record of Node keeps as many messages. */
const MAX_LINES = 10_000;
const MAX_CALLS = 500;
/** Node keeps 1 MiB; nobody reads more than the end of it. */
const MAX_STDERR = 64_000;

type EventOf<Kind extends InspectorEvent["kind"]> = Extract<InspectorEvent, { kind: Kind }>;
type Reducer = (state: InspectorState, event: InspectorEvent) => InspectorState;

/** One function for each kind of event. A kind without one is a type error. */
export const REDUCERS: {
  readonly [Kind in InspectorEvent["kind"]]: (state: InspectorState, event: EventOf<Kind>) => InspectorState;
} = {
  // A new stream repeats everything.
  hello: (state, { kind: _, ...hello }) => ({ ...INITIAL_STATE, historyVersion: state.historyVersion, ...hello }),
  ready: (state) => ({ ...state, ready: true }),
  // A server that is lost has no revisions, but its offer is still looked at.
  connection: (state, { connection, revisions }) => ({
    ...state,
    connection,
    revisions: revisions.length > 0 ? revisions : state.revisions,
  }),
  offer: (state, { offer }) => ({ ...state, offers: withEntry(state.offers, offer.revision, offer) }),
  line: (state, { line }) => withLines(state, [line]),
  lane: (state, { lane }) => ({
    ...state,
    lanes: state.lanes.some(({ conn }) => conn === lane.conn)
      ? state.lanes.map((known) => (known.conn === lane.conn ? lane : known))
      : [...state.lanes, lane],
  }),
  call: (state, { call }) => {
    const calls = withEntry(state.calls, call.id, call);
    while (calls.size > MAX_CALLS) calls.delete(calls.keys().next().value as string);
    return { ...state, calls };
  },
  edit: (state, { edit, at }) => {
    if (edit.how === "broken") return { ...state, edit: { edit, at } };
    const unseen = new Map(state.unseen);
    for (const change of edit.changes) unseen.set(itemId(change), change.how);
    return { ...state, edit: { edit, at }, unseen };
  },
  stderr: (state, { text }) => ({ ...state, stderr: (state.stderr + text).slice(-MAX_STDERR) }),
  live: (state, event) => ({ ...state, live: withEntry(state.live, liveKey(event.revision, event.uri), event) }),
  unsubscribed: (state, { revision, uri }) => ({ ...state, live: withoutEntry(state.live, liveKey(revision, uri)) }),
  findings: (state, { findings }) => ({ ...state, findings }),
  cleared: (state) => ({ ...state, lines: [] }),
  history: (state) => ({ ...state, historyVersion: state.historyVersion + 1 }),
};

/** Applies events in their order. Adjacent messages are added at once: copying the list for each would be quadratic. */
export function reduce(state: InspectorState, events: readonly InspectorEvent[]): InspectorState {
  let next = state;
  let lines: WireLine[] = [];
  for (const event of events) {
    if (event.kind === "line") {
      lines.push(event.line);
      continue;
    }
    next = withLines(next, lines);
    lines = [];
    // A newer Node may know kinds that this page does not; a page of an earlier start stays open in a tab.
    if (Object.hasOwn(REDUCERS, event.kind)) next = (REDUCERS[event.kind] as Reducer)(next, event);
  }
  return withLines(next, lines);
}

export function withSeen(state: InspectorState, id: string): InspectorState {
  return state.unseen.has(id) ? { ...state, unseen: withoutEntry(state.unseen, id) } : state;
}

function withLines(state: InspectorState, lines: readonly WireLine[]): InspectorState {
  if (lines.length === 0) return state;
  const all = [...state.lines, ...lines];
  return { ...state, lines: all.length > MAX_LINES ? all.slice(-MAX_LINES) : all };
}

function withEntry<Value>(map: ReadonlyMap<string, Value>, key: string, value: Value): Map<string, Value> {
  return new Map(map).set(key, value);
}

function withoutEntry<Value>(map: ReadonlyMap<string, Value>, key: string): Map<string, Value> {
  const copy = new Map(map);
  copy.delete(key);
  return copy;
}

/** A value that components subscribe to. Several changes in one frame are one drawing. */
export interface Store<Value> {
  get(): Value;
  set(change: (value: Value) => Value): void;
  subscribe(listener: () => void): () => void;
}

export function createStore<Value>(initial: Value, schedule: (draw: () => void) => void): Store<Value> {
  const listeners = new Set<() => void>();
  let value = initial;
  let scheduled = false;
  return {
    get: () => value,
    set(change) {
      const next = change(value);
      if (Object.is(next, value)) return;
      value = next;
      if (scheduled) return;
      scheduled = true;
      schedule(() => {
        scheduled = false;
        for (const listener of listeners) listener();
      });
    },
    subscribe(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
}
