import { type CallerMarks, callerOf } from "../../calls/caller.ts";
import type { Client, Principal, SessionState } from "../../calls/client.ts";
import { ShareError } from "../../calls/in-flight.ts";
import type { RequestId, ResponseMessage } from "../../protocol/messages.ts";
import type { Revision } from "../../protocol/revisions/revision.ts";
import { unref } from "../../support/async.ts";
import { Memo } from "../../support/memo.ts";
import { builtinModule } from "../../support/run-time.ts";
import type { HttpEndpoint } from "../../transports/http/endpoint.ts";
import type { HttpExchange } from "../../transports/http/exchange.ts";
import { busyError } from "../../transports/http/http-error.ts";
import type { LegacySession, LegacySessions } from "../../transports/http/legacy-session.ts";
import type { HttpLimits } from "../../transports/http/options.ts";
import { found, sessionIdOf } from "../../transports/http/sessions.ts";
import type { BusListener, Cluster, RecordFields } from "../ports.ts";
import { Quota } from "../quota.ts";
import { nodeName } from "../topics.ts";
import { ClusterSession, type OpenedHead } from "./cluster-session.ts";
import { LocalSession } from "./local-session.ts";
import { SessionStore } from "./session-store.ts";

/** Of the ids that `createSessionId` creates. Any other text names no session, and must not become part of a key. */
export const SESSION_ID = /^[\w-]{24}$/;
/** Hints for the nodes on which a session may have calls. */
const TOPIC = "sessions";
const MAX_HEADS = 10_000;
/** A longer sealed head is opened for each request. */
const MAX_HEAD = 4096;

/** The part of a record that never changes. */
interface SessionHead extends Pick<OpenedHead, "opened" | "caller"> {
  readonly principal: string | null;
  readonly revision: string;
  readonly client: Pick<Client, "info" | "capabilities">;
}

/** A number for everything that must be unique in this process: several endpoints may serve one server. */
let serial = 0;

/**
 * The sessions that all nodes share. The record in the store is the truth: it is read for each request and kept nowhere,
 * so that a session that ended on one node has ended on all.
 */
export class ClusterSessions implements LegacySessions {
  readonly endpoint: HttpEndpoint;
  readonly store: SessionStore;
  readonly node: string;
  readonly limits: HttpLimits;
  /** Milliseconds after which a node that did not renew its lease no longer has a stream. */
  readonly lease: number;
  readonly #loaded = new WeakMap<HttpExchange, ClusterSession>();
  readonly #local = new Map<string, LocalSession>();
  /** Opened heads, by id and sealed text: opening one takes longer than all else about a session. */
  readonly #heads = new Memo((key) => this.#openHead(key), MAX_HEADS, MAX_HEAD);
  /** When this node last extended the life of a session: not by the clock of the store, which may differ. */
  readonly #extended = new Map<string, number>();
  readonly #quota: Quota;
  readonly #interval: number;
  readonly #unsubscribe: readonly (() => void)[];
  #timer: ReturnType<typeof setInterval> | undefined;

  constructor(endpoint: HttpEndpoint) {
    const { server, limits } = endpoint;
    const cluster = server.cluster as Cluster;
    this.endpoint = endpoint;
    this.limits = limits;
    this.store = new SessionStore(server);
    this.#quota = new Quota(cluster.store, "sessions", limits.maxSessions, server);
    this.node = nodeName(server);
    this.#interval = Math.min(limits.keepAliveInterval, limits.idleTimeout / 4);
    this.lease = 3 * this.#interval;
    const listener: BusListener = {
      heard: (message) => this.#heard(message),
      missed: () => {
        for (const session of this.#local.values()) void session.check();
      },
    };
    this.#unsubscribe = [`node ${this.node}`, TOPIC].map((topic) => cluster.bus.subscribe(topic, listener));
  }

  get size(): number {
    return this.#local.size;
  }

  async load(exchange: HttpExchange): Promise<void> {
    const id = exchange.header("mcp-session-id") ?? "";
    if (!SESSION_ID.test(id)) return;
    const fields = await this.store.read(id);
    const session = fields && (await this.#open(id, fields, exchange.principal));
    if (session === undefined) return;
    this.#loaded.set(exchange, session);
    const local = this.#local.get(id);
    if (local !== undefined) local.principal = exchange.principal;
    this.extend(id, session);
  }

  require(exchange: HttpExchange): ClusterSession {
    const id = sessionIdOf(exchange);
    return found(exchange, id, this.#loaded.get(exchange));
  }

  /** @throws {HttpError} if the caller has too many sessions: the nodes do not know how many there are in all */
  async add({ id, revision, client }: SessionState, opener: CallerMarks): Promise<LegacySession> {
    const { principal } = opener;
    const { info, capabilities } = client;
    const opened = Date.now();
    const caller = callerOf(opener);
    const head: SessionHead = {
      principal: principal?.id ?? null,
      revision: revision.version,
      client: { info, capabilities },
      opened,
      caller,
    };
    const { maxSessions, idleTimeout } = this.limits;
    const s = this.#quota.slotOf(idleTimeout);
    const isCounted = caller === undefined || (await this.store.run(() => this.#quota.take(caller, s, idleTimeout)));
    if (!isCounted) throw busyError(new ShareError(maxSessions, "sessions"));
    await this.store.create(id, { s, h: await this.store.seal(id, "h", JSON.stringify(head)) }, idleTimeout);
    this.#noteExtended(id);
    return this.#create(id, { revision, client, opened, caller }, { s }, principal);
  }

  async end(session: LegacySession): Promise<void> {
    const { id, head, state, fields } = session as ClusterSession;
    await this.store.remove(id);
    if (head.caller !== undefined) this.#quota.release(head.caller, fields.s as string).catch(() => {});
    this.#extended.delete(id);
    this.drop(this.#local.get(id));
    this.store.publish(TOPIC, `end ${id}`);
    this.endpoint.server.observers?.event({
      type: "session_closed",
      revision: state.revision.version,
      transport: "http",
      milliseconds: Math.max(0, Date.now() - head.opened),
    });
  }

  async endAll(): Promise<void> {
    clearInterval(this.#timer);
    for (const unsubscribe of this.#unsubscribe) unsubscribe();
    await Promise.all([...this.#local.values()].map((session) => session.leave()));
    this.#local.clear();
  }

  /** The part of a session on this node. */
  local(id: string, principal: Principal | undefined): LocalSession {
    let session = this.#local.get(id);
    if (session === undefined) {
      session = new LocalSession(this, id, principal);
      this.#local.set(id, session);
      this.#timer ??= this.#schedule();
    }
    return session;
  }

  /** Forgets the part of a session on this node, if there is none left. */
  release(session: LocalSession): void {
    if (!session.isIdle || this.#local.get(session.id) !== session) return;
    this.#local.delete(session.id);
    if (this.#local.size > 0) return;
    clearInterval(this.#timer);
    this.#timer = undefined;
  }

  /** A session has ended: ends all that this node has of it. */
  drop(session: LocalSession | undefined): void {
    if (session === undefined) return;
    this.endpoint.cancel(session);
    session.drop();
    this.release(session);
  }

  /** Cancels a call, on whichever node it runs. */
  async cancel(id: string, requestId: RequestId): Promise<void> {
    const sealed = await this.store.seal(id, "cancel", JSON.stringify(requestId ?? null));
    this.store.publish(TOPIC, `cancel ${id} ${sealed}`);
  }

  /** Passes a response to the call that waits for it, if that is on this node. */
  answered(id: string, message: ResponseMessage): boolean {
    return this.#local.get(id)?.questions.receive(message) ?? false;
  }

  /** Keeps a session from expiring, once a tenth of its time has passed. It is counted for as long as it lives. */
  extend(id: string, session?: ClusterSession): void {
    const { idleTimeout } = this.limits;
    if (performance.now() - (this.#extended.get(id) ?? Number.NEGATIVE_INFINITY) < idleTimeout / 10) return;
    this.#noteExtended(id);
    const { head, fields: { s } = {} } = session ?? {};
    const to = this.#quota.slotOf(idleTimeout);
    const isLater = head?.caller !== undefined && s !== undefined && s !== to;
    // If another node has moved it, that one has extended its life, too.
    const moved = this.store.change(id, { expire: idleTimeout, ...(isLater && { if: { s }, set: { s: to } }) });
    moved
      .then(({ made }) => (made && isLater ? this.#quota.move(head.caller as string, s, to, idleTimeout) : undefined))
      .catch(() => this.#extended.delete(id));
  }

  /** A number for a request, stream or holder of this node. */
  nextNumber(): number {
    return ++serial;
  }

  #heard(message: string): void {
    const [kind, id = "", text = ""] = message.split(" ");
    const session = this.#local.get(id);
    if (session === undefined) return;
    // The hint is not believed: the record says whether the session has changed or ended.
    if (kind === "session" || kind === "end") void session.check();
    if (kind === "events") session.eventsWritten(text);
    if (kind === "cancel") this.#cancelLocal(session, text).catch(() => {});
  }

  async #cancelLocal(session: LocalSession, sealed: string): Promise<void> {
    const text = await this.store.open(session.id, "cancel", sealed);
    if (text !== undefined) this.endpoint.cancel(session, JSON.parse(text) ?? undefined);
  }

  /** For anyone but its owner, the session does not exist. */
  async #open(id: string, fields: RecordFields, principal: Principal | undefined): Promise<ClusterSession | undefined> {
    const head = fields.h === undefined ? undefined : await this.#heads.get(`${id} ${fields.h}`);
    if (head === undefined || head.principal !== (principal?.id ?? null)) return undefined;
    const revision = this.endpoint.server.revisions.get(head.revision) as Revision | undefined;
    if (revision === undefined) return undefined;
    const client = { ...head.client, revision: head.revision } as Client;
    const { opened, caller } = head;
    return this.#create(id, { revision, client, opened, caller }, fields, principal);
  }

  /** `ctx.session.get` returns no promise; where opening needs one, all values are opened with the record. */
  async #create(
    id: string,
    head: OpenedHead,
    fields: RecordFields,
    principal: Principal | undefined,
  ): Promise<ClusterSession> {
    if (builtinModule("node:crypto") !== undefined) return new ClusterSession(this, id, head, fields, principal);
    const values = new Map<string, string>();
    for (const [field, token] of Object.entries(fields)) {
      if (!/^[dw]:/.test(field)) continue;
      const text = await this.store.open(id, field, token);
      if (text !== undefined) values.set(field, text);
    }
    return new ClusterSession(this, id, head, fields, principal, values);
  }

  /** With the id: a head that was copied to another record must not be found there. */
  async #openHead(key: string): Promise<SessionHead | undefined> {
    const [id = "", token = ""] = key.split(" ");
    const text = await this.store.open(id, "h", token);
    return text === undefined ? undefined : JSON.parse(text);
  }

  #noteExtended(id: string): void {
    if (this.#extended.size >= this.limits.maxSessions) this.#extended.clear();
    this.#extended.set(id, performance.now());
  }

  #schedule(): ReturnType<typeof setInterval> {
    const tick = () => {
      for (const session of [...this.#local.values()]) {
        if (session.isIdle) this.release(session);
        else session.tick();
      }
    };
    return unref(setInterval(tick, this.#interval));
  }
}
