import type { InspectorFinding } from "../../protocol/api.ts";
import type { CallState } from "../../protocol/call.ts";
import type { Edit } from "../../protocol/edit.ts";
import type { InspectorEvent } from "../../protocol/event.ts";
import type { Abilities, Connection, Offer, Target } from "../../protocol/offer.ts";
import type { Lane, WireLine } from "../../protocol/wire.ts";

/** How the page is connected to Node. "earlier": the secret is of an earlier start. */
export type StreamState = "connecting" | "open" | "interrupted" | "earlier";

export type LiveContent = Extract<InspectorEvent, { kind: "live" }>;

/** Everything that Node has told. It is a function of the events, so all tabs show the same. */
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
  /** What the last edits have changed and nobody has looked at: the ids of items. */
  readonly unseen: ReadonlyMap<string, "added" | "removed" | "changed">;
  readonly stderr: string;
  /** By revision and URI. */
  readonly live: ReadonlyMap<string, LiveContent>;
  /** What the messages of the server show. */
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
