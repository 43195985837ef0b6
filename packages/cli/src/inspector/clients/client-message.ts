import type { JsonObject } from "../protocol/json.ts";
import type { HttpHead, Lane } from "../protocol/wire.ts";

/** What a client says of itself. */
export interface ClientIdentity {
  readonly name: string;
  readonly version?: string;
}

/** One message between a real client and the server of `dev`. */
export interface ClientMessage {
  /** The lane: one per connection or session; requests without a session are grouped by what the client is. */
  readonly conn: string;
  /** "out": from the client to the server. */
  readonly dir: "out" | "in";
  /** The exact text of the message. */
  readonly text: string;
  readonly transport: Lane["transport"];
  /** Absent until the client has introduced itself. */
  readonly client?: ClientIdentity;
  /** What the client says that it can do. */
  readonly capabilities?: JsonObject;
  readonly revision?: string;
  /** With secrets: the record masks them. */
  readonly http?: HttpHead;
  /** What the text does not show. */
  readonly note?: string;
}

/** Is told of the messages of real clients. */
export interface ClientObserver {
  onClientMessage(message: ClientMessage): void;
  /** The connection or the session has ended. */
  onClientClosed?(conn: string): void;
}
