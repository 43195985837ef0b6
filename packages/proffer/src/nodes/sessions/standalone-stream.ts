import { Call, type CallOrigin } from "../../calls/call.ts";
import { type Client, type Principal, SessionState } from "../../calls/client.ts";
import { delayOf } from "../../calls/timeout.ts";
import type { ChangeKind, ChangeListener } from "../../catalog/changes.ts";
import type { LogLevel } from "../../protocol/model.ts";
import { contain, unref } from "../../support/async.ts";
import { primingEvent } from "../../transports/http/event-stream.ts";
import type { HttpExchange } from "../../transports/http/exchange.ts";
import { HttpError } from "../../transports/http/http-error.ts";
import type { RecordChange, RecordFields } from "../ports.ts";
import type { ClusterSession } from "./cluster-session.ts";
import { ClusterStream, RETRY } from "./cluster-stream.ts";
import { Delivery, type EventPlace, messageOf, openingOf, type StreamEvent, toEventId } from "./delivery.ts";
import type { LocalSession } from "./local-session.ts";
import { WATCHED } from "./session-state.ts";
import { LINGERING, listenerIsThere, nodeOf } from "./session-store.ts";

/** A client that reconnected more often without receiving an event misses the events before. */
const MAX_OPENINGS = 20;
/** Enough to recognize the events that two nodes wrote while the stream moved from one to the other. */
const MAX_TEXTS = 1000;

/**
 * The stream that GET opens. The node that has it is in the record, with a lease, and watches the resources to which the
 * client subscribed. Each opening has its own log with one writer, so two nodes never write to the same log.
 */
export class StandaloneStream implements ChangeListener {
  /** Identifies it in the record. */
  readonly holder: string;
  readonly #local: LocalSession;
  readonly #opening: number;
  readonly #stream: ClusterStream;
  /** Has the watchers, the log level and the readiness of the session. */
  readonly #state: SessionState;
  #watched: ReadonlySet<string> = new Set();
  /** The messages that wait until the client has received the events that it missed. */
  #postponed: string[] | undefined = [];
  /** The messages since then. */
  readonly #texts = new Set<string>();
  /** The last event that was read of the log before. */
  #before: EventPlace | undefined;
  #stopListening: (() => void) | undefined;
  #lingering: ReturnType<typeof setTimeout> | undefined;
  #isStopped = false;

  private constructor(local: LocalSession, { state }: ClusterSession, holder: string, opening: number) {
    this.#local = local;
    this.holder = holder;
    this.#opening = opening;
    this.#stream = new ClusterStream(local, `g${opening}`);
    this.#state = new SessionState(state.revision, state.client, state.id);
  }

  /** Takes the stream for this node. @throws {HttpError} if another connection has it, unless this one resumes it. */
  static async take(local: LocalSession, session: ClusterSession, last?: EventPlace) {
    const { node, store, limits, lease } = local.sessions;
    const holder = `${node} ${local.sessions.nextNumber()}`;
    let { fields } = session;
    for (let attempt = 0; attempt < 3; attempt++) {
      if (last === undefined && fields.get?.endsWith(LINGERING) === false) {
        ({ fields } = await store.change(session.id, { stamp: ["t"] }));
        if (listenerIsThere(fields, lease)) break;
      }
      const known = fields.get;
      const changed = await store.change(session.id, {
        if: { get: known },
        set: { get: holder },
        stamp: ["gt"],
        add: { g: 1 },
        expire: limits.idleTimeout,
      });
      fields = changed.fields;
      if (fields.v === undefined) throw new HttpError(404, "Unknown or expired session; send initialize again.");
      // Refused after a lost reply: the first attempt was made.
      if (fields.get !== holder) continue;
      session.fields = fields;
      if (known !== undefined) store.publish(`node ${nodeOf(known)}`, `session ${session.id}`);
      return new StandaloneStream(local, session, holder, Number(fields.g));
    }
    throw new HttpError(409, "This session already has an open stream; close that one first.");
  }

  get principal(): Principal | undefined {
    return this.#local.principal;
  }

  /** Answers the GET: first with the events that the client missed. */
  async open(exchange: HttpExchange, fields: RecordFields, last?: EventPlace): Promise<void> {
    // Before the log is read: a change in between must not be lost.
    this.#stopListening = this.#local.sessions.endpoint.server.changes.listen(this);
    let missed: readonly StreamEvent[];
    try {
      await this.#sync(fields);
      missed = last === undefined ? [] : await this.#missed(last);
    } catch (error) {
      await this.stop();
      throw error;
    }
    const begin = { stream: this.#stream.name, place: 0 };
    const delivery = new Delivery(this.#local, exchange, begin, (ended) => this.#disconnected(ended));
    for (const { text } of missed) delivery.write(text);
    if (this.#state.revision.primed) delivery.write(primingEvent(toEventId(this.#stream.name, 0), RETRY));
    for (const event of missed) this.#texts.add(messageOf(event));
    this.#stream.attach(delivery);
    const postponed = this.#postponed ?? [];
    this.#postponed = undefined;
    for (const text of postponed) if (!this.#texts.has(text)) this.#send(text);
  }

  get client(): Client {
    return this.#state.client;
  }

  listChanged(changed: ChangeKind): void {
    const kind = this.#local.sessions.endpoint.server.features.changeFor(() => this.client, changed);
    if (this.#state.ready && kind !== undefined)
      this.#send(`{"jsonrpc":"2.0","method":"notifications/${kind}/list_changed"}`);
  }

  updated(uri: string): void {
    this.#send(JSON.stringify({ jsonrpc: "2.0", method: "notifications/resources/updated", params: { uri } }));
  }

  /** Sends a log message only while the client listens: kept for later, it could displace changes. */
  logged(level: LogLevel, text: string): void {
    if (this.#state.ready && this.#stream.connected && this.#state.wants(level)) this.#send(text);
  }

  /** The node that had the stream before has written its last events. */
  addLate(stream: string): void {
    const before = this.#before;
    if (before?.stream !== stream) return;
    this.#before = undefined;
    this.#local.sessions.store.since(this.#local.id, stream, before.place).then(
      (events = []) => {
        for (const event of events) {
          const text = messageOf(event);
          if (event.text !== "" && !this.#texts.has(text)) this.#send(text);
        }
      },
      () => {},
    );
  }

  /** Follows the record: another node may have taken the stream, and the client may have subscribed to more. */
  async check(fields: RecordFields): Promise<void> {
    if (fields.get === this.holder || fields.get === this.holder + LINGERING) await this.#sync(fields);
    else await this.stop(fields.get ?? "");
  }

  /** The change of the record that renews the lease; undefined if the client is not connected. */
  get renewal(): RecordChange | undefined {
    if (!this.#stream.connected) return undefined;
    const expire = this.#local.sessions.limits.idleTimeout;
    return { if: { get: this.holder }, stamp: ["t", "gt"], expire };
  }

  /** Called at intervals. */
  tick(): void {
    this.#stream.tick();
  }

  /** Ends the stream on this node. `next` is its new holder; empty if there is none and the record is as it should be. */
  async stop(next?: string): Promise<void> {
    if (this.#isStopped) return;
    this.#isStopped = true;
    this.#stopListening?.();
    this.#state.close();
    clearTimeout(this.#lingering);
    this.#stream.delivery?.release();
    const { id, sessions } = this.#local;
    const { store } = sessions;
    await this.#stream.flush();
    if (next) store.publish(`node ${nodeOf(next)}`, `events ${id} ${this.#stream.name}`);
    this.#local.standaloneEnded(this);
    if (next !== undefined) return;
    for (const get of [this.holder, this.holder + LINGERING]) {
      await store.change(id, { if: { get }, remove: ["get", "gt"] }).catch(() => {});
    }
  }

  /** It waits for a client that reconnects, and keeps the events meanwhile. */
  #disconnected(delivery: Delivery): void {
    this.#stream.lost(delivery);
    if (this.#isStopped) return;
    const { id, sessions } = this.#local;
    const { store, limits } = sessions;
    store.change(id, { if: { get: this.holder }, set: { get: this.holder + LINGERING } }).catch(() => {});
    this.#lingering = unref(setTimeout(() => this.stop().catch(() => {}), delayOf(limits.reconnectTimeout)));
  }

  #send(text: string): void {
    if (this.#postponed !== undefined) {
      this.#postponed.push(text);
      return;
    }
    if (this.#texts.size < MAX_TEXTS) this.#texts.add(text);
    this.#stream.send(text);
  }

  /** The events of all openings from the client's last one on. */
  async #missed({ stream, place }: EventPlace): Promise<StreamEvent[]> {
    const first = openingOf(stream) ?? 0;
    if (first >= this.#opening) throw new HttpError(400, "Last-Event-ID is not the id of an event of this session.");
    const missed: StreamEvent[] = [];
    for (let opening = Math.max(first, this.#opening - MAX_OPENINGS); opening < this.#opening; opening++) {
      const before = { stream: `g${opening}`, place: opening === first ? place : 0 };
      // Dropped change notifications are lost, as they are for a client that was not connected.
      const events = (await this.#local.sessions.store.since(this.#local.id, before.stream, before.place)) ?? [];
      missed.push(...events.filter(({ text }) => text !== ""));
      this.#before = { stream: before.stream, place: events.at(-1)?.place ?? before.place };
    }
    return missed;
  }

  /** Watches the resources in the record. */
  async #sync(fields: RecordFields): Promise<void> {
    this.#state.ready = fields.i === "1";
    this.#state.logLevel = fields.l as LogLevel | undefined;
    const uris = new Set<string>();
    for (const [field, token] of Object.entries(fields)) {
      const text = field.startsWith(WATCHED)
        ? await this.#local.sessions.store.open(this.#local.id, field, token)
        : undefined;
      if (text !== undefined) uris.add(JSON.parse(text));
    }
    if (this.#isStopped) return;
    for (const uri of this.#watched) if (!uris.has(uri)) this.#state.unwatch(uri);
    for (const uri of uris) if (!this.#watched.has(uri)) this.#watch(uri);
    this.#watched = uris;
  }

  /** Subscribes as the client did, on this node: with the permission that it has now. */
  #watch(uri: string): void {
    const { server } = this.#local.sessions.endpoint;
    const origin: CallOrigin = {
      transport: "http",
      principal: this.principal,
      session: this.#state,
      listener: this,
      notify: () => {},
      respond: () => {},
    };
    const message = { jsonrpc: "2.0" as const, id: 0, method: "resources/subscribe", params: { uri } };
    const call = new Call(server, origin, this.#state.revision, message);
    contain(
      () => {
        server.access?.authorize(call);
        return call.definition?.handle(call);
      },
      // The resource is gone, or the caller may no longer read it.
      () => {},
    );
  }
}
