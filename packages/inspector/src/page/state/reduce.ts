import type { InspectorEvent } from "../../protocol/event.ts";
import type { WireLine } from "../../protocol/wire.ts";
import { itemId } from "./draft.ts";
import { INITIAL_STATE, type InspectorState, liveKey } from "./inspector-state.ts";

/** The record of Node keeps as many messages. */
const MAX_LINES = 10_000;
const MAX_CALLS = 500;
/** Node keeps 1 MiB; nobody reads more than the end of it. */
const MAX_STDERR = 64_000;

type EventOf<Kind extends InspectorEvent["kind"]> = Extract<InspectorEvent, { kind: Kind }>;

/** One function for each kind of event. A kind without one is a type error. */
export const REDUCERS: {
  readonly [Kind in InspectorEvent["kind"]]: (state: InspectorState, event: EventOf<Kind>) => InspectorState;
} = {
  // A new stream tells everything again.
  hello: (state, { kind: _, ...hello }) => ({ ...INITIAL_STATE, historyVersion: state.historyVersion, ...hello }),
  ready: (state) => ({ ...state, ready: true }),
  // A server that is lost has no revisions, but what it offered is still looked at.
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
  unsubscribed: (state, { revision, uri }) => {
    const live = new Map(state.live);
    live.delete(liveKey(revision, uri));
    return { ...state, live };
  },
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
    next = apply(next, event);
  }
  return withLines(next, lines);
}

export function withSeen(state: InspectorState, id: string): InspectorState {
  if (!state.unseen.has(id)) return state;
  const unseen = new Map(state.unseen);
  unseen.delete(id);
  return { ...state, unseen };
}

function apply<Kind extends InspectorEvent["kind"]>(state: InspectorState, event: EventOf<Kind>): InspectorState {
  // A newer Node may know kinds that this page does not; a page of an earlier start stays open in a tab.
  const reducer = Object.hasOwn(REDUCERS, event.kind) ? REDUCERS[event.kind as Kind] : undefined;
  return reducer === undefined ? state : reducer(state, event);
}

function withLines(state: InspectorState, lines: readonly WireLine[]): InspectorState {
  if (lines.length === 0) return state;
  const all = [...state.lines, ...lines];
  return { ...state, lines: all.length > MAX_LINES ? all.slice(-MAX_LINES) : all };
}

function withEntry<Value>(map: ReadonlyMap<string, Value>, key: string, value: Value): Map<string, Value> {
  return new Map(map).set(key, value);
}
