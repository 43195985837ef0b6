import type { JsonObject } from "../protocol/json.ts";
import type { HttpHead, Lane } from "../protocol/wire.ts";
import type { ClientIdentity, ClientObserver } from "./client-message.ts";
import { agreedRevision, introductionOf } from "./introduction.ts";

/** One client, as far as it is known. */
export interface ClientLane {
  readonly conn: string;
  readonly transport: Lane["transport"];
  client?: ClientIdentity;
  capabilities?: JsonObject;
  revision?: string;
  /** It has sent `initialize`: the response has the revision. */
  isOpening?: boolean;
  isClosed?: boolean;
}

/** A message, before it is known whose it is. */
interface Seen {
  readonly dir: "out" | "in";
  readonly text: string;
  readonly http: HttpHead | undefined;
  readonly note: string | undefined;
}

/** Lanes that are known by a key. A client that comes back after so many others gets a new one. */
const MAX_LANES = 200;

/** The lanes of the clients of one server. */
export class Lanes {
  readonly #observer: ClientObserver;
  readonly #known = new Map<string, ClientLane>();
  #count = 0;

  constructor(observer: ClientObserver) {
    this.#observer = observer;
  }

  create(transport: Lane["transport"]): ClientLane {
    this.#count += 1;
    return { conn: `client-${this.#count}`, transport };
  }

  /** Returns the lane of a session that was opened. */
  get(session: string): ClientLane | undefined {
    return this.#known.get(session);
  }

  /** Returns the lane for clients of which only this is known. */
  find(key: string, transport: Lane["transport"]): ClientLane {
    const lane = this.#known.get(key) ?? this.create(transport);
    this.remember(key, lane);
    return lane;
  }

  /** The lane that was used longest ago is forgotten first. */
  remember(key: string, lane: ClientLane): void {
    this.#known.delete(key);
    this.#known.set(key, lane);
    const [oldest] = this.#known.keys();
    if (this.#known.size > MAX_LANES && oldest !== undefined) this.#known.delete(oldest);
  }

  received(lane: ClientLane, text: string, http?: HttpHead, note?: string): void {
    if (lane.client === undefined || lane.revision === undefined) {
      const { client, capabilities, revision, isInitialize } = introductionOf(text);
      if (client !== undefined) lane.client = client;
      if (capabilities !== undefined) lane.capabilities ??= capabilities;
      if (revision !== undefined) lane.revision = revision;
      if (isInitialize) lane.isOpening = true;
    }
    this.#report(lane, { dir: "out", text, http, note });
  }

  sent(lane: ClientLane, text: string, http?: HttpHead, note?: string): void {
    const revision = lane.isOpening ? agreedRevision(text) : undefined;
    if (revision !== undefined) {
      lane.revision = revision;
      lane.isOpening = false;
    }
    this.#report(lane, { dir: "in", text, http, note });
  }

  /** A transport may notice the end of a connection in several ways; it is reported once. */
  closed(lane: ClientLane, key?: string): void {
    if (key !== undefined) this.#known.delete(key);
    if (!lane.isClosed) this.#observer.onClientClosed?.(lane.conn);
    lane.isClosed = true;
  }

  #report({ conn, transport, client, capabilities, revision }: ClientLane, { dir, text, http, note }: Seen): void {
    this.#observer.onClientMessage({
      conn,
      dir,
      text,
      transport,
      ...(client && { client }),
      ...(capabilities && { capabilities }),
      ...(revision !== undefined && { revision }),
      ...(http && { http }),
      ...(note !== undefined && { note }),
    });
  }
}
