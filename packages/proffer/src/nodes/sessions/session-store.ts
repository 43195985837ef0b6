import { RpcError } from "../../protocol/errors.ts";
import type { ServerState } from "../../server/server.ts";
import { busyError } from "../../transports/http/http-error.ts";
import { FieldSealer } from "../field-sealer.ts";
import type {
  Bus,
  Cluster,
  Later,
  LogLimits,
  RecordChange,
  RecordChanged,
  RecordFields,
  SharedStore,
} from "../ports.ts";
import type { StreamEvent } from "./delivery.ts";

/** The condition of every change: a session that has ended must not come back by a late write. */
const EXISTS = { v: "1" } as const;

const UNAVAILABLE = "The session store is not available. Try again later.";

/**
 * The records and logs of sessions in the shared store. Each method rejects with an `HttpError` of status 503 if the
 * store fails: a failure never counts as "found" nor as "not found".
 */
export class SessionStore {
  readonly #server: ServerState;
  readonly #store: SharedStore;
  readonly #bus: Bus;
  readonly #sealer: FieldSealer;
  #failing = false;

  constructor(server: ServerState) {
    const { store, bus } = server.cluster as Cluster;
    this.#server = server;
    this.#store = store;
    this.#bus = bus;
    this.#sealer = new FieldSealer("session", server);
  }

  read(id: string): Promise<RecordFields | undefined> {
    return this.run(() => this.#store.read(keyOf(id)));
  }

  /** Creates a record. After a lost reply, the repeated change is refused and the record is there. */
  async create(id: string, fields: RecordFields, expire: number): Promise<void> {
    const change = { if: { v: undefined }, set: { ...EXISTS, ...fields }, expire };
    await this.run(() => this.#store.change(keyOf(id), change));
  }

  /** Changes a record, if the session has not ended. */
  change(id: string, change: RecordChange): Promise<RecordChanged> {
    return this.run(() => this.#store.change(keyOf(id), { ...change, if: { ...EXISTS, ...change.if } }));
  }

  remove(id: string): Promise<void> {
    return this.run(() => this.#store.remove(keyOf(id)));
  }

  append(id: string, stream: string, events: readonly StreamEvent[], limits: LogLimits): Promise<void> {
    return this.run(async () => {
      const log = logOf(id, stream);
      const entries = [];
      for (const event of events) {
        const text = await this.#sealer.seal(log, String(event.place), toStored(event, limits.bytes));
        entries.push({ place: event.place, text });
      }
      return this.#store.append(log, entries, { ...limits, bytes: limits.bytes * SEALED });
    });
  }

  /** The events of a stream after a place; undefined if some of them are not kept. */
  since(id: string, stream: string, after: number): Promise<readonly StreamEvent[] | undefined> {
    return this.run(async () => {
      const log = logOf(id, stream);
      const entries = await this.#store.since(log, after);
      if (entries === undefined) return undefined;
      const events: StreamEvent[] = [];
      for (const { place, text } of entries) {
        const stored = await this.#sealer.open(log, String(place), { [place]: text });
        // Changed by someone else, sealed with a key that is gone, or too large to be kept.
        if (stored === undefined || stored === TOO_LARGE) return undefined;
        if (place !== after + events.length + 1) return undefined;
        events.push({ place, text: stored.slice(1), final: stored.startsWith(FINAL) });
      }
      return events;
    });
  }

  /** Seals the text of a field. */
  seal(id: string, field: string, text: string): Later<string> {
    return this.#sealer.seal(keyOf(id), field, text);
  }

  /** Opens the text of a field; undefined if it was changed in the store, or its key is gone. */
  open(id: string, field: string, token: string): Later<string | undefined> {
    return this.#sealer.open(keyOf(id), field, { [field]: token });
  }

  /** Sends a hint. It may be lost, so its failure is too. */
  publish(topic: string, message: string): void {
    this.run(() => this.#bus.publish(topic, message)).catch(() => {});
  }

  /** Does something with the store. @throws {HttpError} if it fails */
  async run<Value>(operation: () => Later<Value>): Promise<Value> {
    try {
      const value = await operation();
      if (this.#failing) this.#report(false);
      return value;
    } catch (error) {
      if (!this.#failing) this.#report(true, error);
      throw busyError(new RpcError("busy", UNAVAILABLE));
    }
  }

  /** Logs once when the store fails, and once when it works again: not for each request. */
  #report(failing: boolean, error?: unknown): void {
    this.#failing = failing;
    if (failing) {
      const message = "The shared store failed: requests of sessions are answered with 503 until it works again";
      this.#server.log({ level: "error", message, error });
    } else this.#server.log({ level: "info", message: "The shared store works again" });
  }
}

/** The size of a sealed text, which is base64, relative to the text. */
const SEALED = 1.4;

const FINAL = ".";
const MORE = "+";
const TOO_LARGE = "!";

/** An event that exceeds the limit of its log is not kept, but its place must be taken. */
function toStored({ text, final }: StreamEvent, maxBytes: number): string {
  if (text.length > maxBytes) return TOO_LARGE;
  return (final ? FINAL : MORE) + text;
}

function keyOf(id: string): string {
  return `session ${id}`;
}

function logOf(id: string, stream: string): string {
  return `session ${id} ${stream}`;
}

// The fields of the record of a session:
//   v           "1": the session exists
//   h           sealed: its principal, caller, revision and client
//   s           the slot in which it is counted
//   i, l        the client is ready; its log level
//   d:<key>     sealed: the data of handlers
//   w:<random>  sealed: a subscribed URI
//   get, gt     the holder of the standalone stream, and when it was last there
//   g           how often a standalone stream was opened
//   f:<stream>, t:<stream>   the node on which a client resumed a stream, and when it was last there
//   q:<id>, r:<id>           a request of the server that is not answered; sealed: its response
//   t           the time of the store

/** Follows the holder of a standalone stream whose client has disconnected, but may reconnect. */
export const LINGERING = "?";

/** The node in the field `get`. */
export function nodeOf(holder: string): string {
  return holder.slice(0, holder.indexOf(" "));
}

/** Whether a client is connected to the standalone stream. `fields.t` must be the time of the store now. */
export function listenerIsThere({ get, gt, t }: RecordFields, lease: number): boolean {
  return get !== undefined && !get.endsWith(LINGERING) && Number(t) - Number(gt) <= lease;
}

/** Whether a client follows a stream on a node other than the one that writes it. */
export function followerIsThere(fields: RecordFields, stream: string, lease: number): boolean {
  return fields[`f:${stream}`] !== undefined && Number(fields.t) - Number(fields[`t:${stream}`]) <= lease;
}
