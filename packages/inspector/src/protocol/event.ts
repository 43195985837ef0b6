import type { InspectorFinding } from "./api.ts";
import type { CallState } from "./call.ts";
import type { Edit } from "./edit.ts";
import type { JsonObject } from "./json.ts";
import type { Abilities, Connection, Offer, Target } from "./offer.ts";
import type { Lane, WireLine } from "./wire.ts";

/** A line of the stream. A new stream begins with `hello`, then everything that is known, then `ready`. */
export type InspectorEvent =
  | {
      readonly kind: "hello";
      readonly version: string;
      readonly target: Target;
      readonly abilities: Abilities;
      /** The revisions that the server supports, newest first. */
      readonly revisions: readonly string[];
      /** Names of client profiles. */
      readonly profiles: readonly string[];
    }
  | { readonly kind: "ready" }
  | { readonly kind: "connection"; readonly connection: Connection; readonly revisions: readonly string[] }
  | { readonly kind: "offer"; readonly offer: Offer }
  | { readonly kind: "line"; readonly line: WireLine }
  | { readonly kind: "lane"; readonly lane: Lane }
  /** The whole state of a call, after each change. */
  | { readonly kind: "call"; readonly call: CallState }
  | { readonly kind: "edit"; readonly edit: Edit; readonly at: number }
  | { readonly kind: "stderr"; readonly text: string }
  /** The contents of a subscribed resource, read again after an update. */
  | {
      readonly kind: "live";
      readonly uri: string;
      readonly revision: string;
      readonly at: number;
      readonly result?: JsonObject;
      readonly error?: string;
      readonly updates: number;
    }
  | { readonly kind: "unsubscribed"; readonly uri: string; readonly revision: string }
  /** What the messages of the server show; all that is found so far. */
  | { readonly kind: "findings"; readonly findings: readonly InspectorFinding[] }
  | { readonly kind: "cleared" }
  | { readonly kind: "history" };
