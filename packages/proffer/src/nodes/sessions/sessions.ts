import type { Principal } from "../../calls/principal.ts";
import type { Client, SessionState } from "../../calls/session.ts";
import type { RequestId, ResponseMessage } from "../../protocol/messages.ts";
import type { Revision } from "../../protocol/revisions/revision.ts";
import { builtinModule } from "../../support/run-time.ts";
import type { HttpEndpoint } from "../../transports/http/endpoint.ts";
import type { HttpExchange } from "../../transports/http/exchange.ts";
import { HttpError } from "../../transports/http/http-error.ts";
import type { LegacySession, LegacySessions } from "../../transports/http/legacy-session.ts";
import type { HttpLimits } from "../../transports/http/options.ts";
import { found, sessionIdOf } from "../../transports/http/sessions.ts";
import type { ClientIdentity } from "../../transports/http/shares.ts";
import { nodeName } from "../node-name.ts";
import type { Cluster, RecordFields } from "../ports.ts";
import { LocalSession } from "./local-session.ts";
import { ClusterSession } from "./session.ts";
import { SessionStore } from "./store.ts";

/** Of the ids that `createSessionId` creates. Any other text names no session, and must not become part of a key. */
export const SESSION_ID = /^[\w-]{24}$/;
/** Hints for the nodes on which a session may have calls. */
const TOPIC = "sessions";
const MAX_HEADS = 10_000;
/** A longer sealed head is opened for each request. */
const MAX_HEAD = 4096;

/** The part of a record that never changes. */
interface SessionHead {
  readonly principal: string | null;
  readonly revision: string;
  readonly client: Pick<Client, "info" | "capabilities">;
  readonly opened: number;
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
  /** Opened heads by id and sealed text: opening one takes longer than all else about a session. */
  readonly #heads = new Map<string, SessionHead>();
  /** When this node last extended the life of a session: not by the clock of the store, which may differ. */
  readonly #extended = new Map<string, number>();
  readonly #interval: number;
  readonly #unsubscribe: readonly (() => void)[];
  #timer: ReturnType<typeof setInterval> | undefined;

  constructor(endpoint: HttpEndpoint) {
    const { server, limits } = endpoint;
    const cluster = server.cluster as Cluster;
    this.endpoint = endpoint;
    this.limits = limits;
    this.store = new SessionStore(server, cluster);
    this.node = nodeName(server);
    this.#interval = Math.min(limits.keepAliveInterval, limits.idleTimeout / 4);
    this.lease = 3 * this.#interval;
    const missed = () => {
      for (const session of this.#local.values()) session.check();
    };
    this.#unsubscribe = [
      cluster.bus.subscribe(`node ${this.node}`, { heard: (message) => this.#heard(message), missed }),
      cluster.bus.subscribe(TOPIC, { heard: (message) => this.#heardByAll(message), missed }),
    ];
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
    this.extend(id);
  }

  require(exchange: HttpExchange): ClusterSession {
    const id = sessionIdOf(exchange);
    return found(exchange, id, this.#loaded.get(exchange));
  }

  async add({ id, revision, client }: SessionState, { principal }: ClientIdentity): Promise<LegacySession> {
    const { info, capabilities } = client;
    const opened = Date.now();
    const head: SessionHead = {
      principal: principal?.id ?? null,
      revision: revision.version,
      client: { info, capabilities },
      opened,
    };
    const text = JSON.stringify(head);
    const { maxDataBytes, idleTimeout } = this.limits;
    if (text.length > maxDataBytes) {
      throw new HttpError(400, `clientInfo and capabilities exceed sessions.maxDataBytes, ${maxDataBytes} bytes.`);
    }
    await this.store.create(id, { h: await this.store.seal(id, "h", text) }, idleTimeout);
    this.#noteExtended(id);
    const record = { fields: {}, opened: await this.#openEarly(id, {}) };
    return new ClusterSession(this, id, { revision, client, opened }, record, principal);
  }

  async end(session: LegacySession): Promise<void> {
    const { id, opened, state } = session as ClusterSession;
    await this.store.remove(id);
    this.#extended.delete(id);
    this.drop(this.#local.get(id));
    this.store.publish(TOPIC, `end ${id}`);
    this.endpoint.server.observers?.event({
      type: "session_closed",
      revision: state.revision.version,
      transport: "http",
      milliseconds: Math.max(0, Date.now() - opened),
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

  /** Keeps a session from expiring, once a tenth of its time has passed. */
  extend(id: string): void {
    const { idleTimeout } = this.limits;
    if (performance.now() - (this.#extended.get(id) ?? Number.NEGATIVE_INFINITY) < idleTimeout / 10) return;
    this.#noteExtended(id);
    this.store.change(id, { expire: idleTimeout }).catch(() => this.#extended.delete(id));
  }

  createRequestId(): string {
    return `proffer-${this.node}-${++serial}`;
  }

  createStreamName(): string {
    return `${this.node}.${++serial}`;
  }

  createHolder(): string {
    return `${this.node} ${++serial}`;
  }

  #heard(message: string): void {
    const [kind, id = "", stream = ""] = message.split(" ");
    const session = this.#local.get(id);
    if (kind === "session") session?.check();
    if (kind === "events") session?.eventsWritten(stream);
  }

  #heardByAll(message: string): void {
    const [kind, id = "", sealed = ""] = message.split(" ");
    const session = this.#local.get(id);
    if (session === undefined) return;
    // The hint is not believed: the record says whether the session has ended.
    if (kind === "end") session.check();
    if (kind === "cancel") this.#cancelLocal(session, sealed).catch(() => {});
  }

  async #cancelLocal(session: LocalSession, sealed: string): Promise<void> {
    const text = await this.store.open(session.id, "cancel", sealed);
    if (text !== undefined) this.endpoint.cancel(session, JSON.parse(text) ?? undefined);
  }

  /** For anyone but its owner, the session does not exist. */
  async #open(id: string, fields: RecordFields, principal: Principal | undefined): Promise<ClusterSession | undefined> {
    const head = fields.h === undefined ? undefined : await this.#head(id, fields.h);
    if (head === undefined || head.principal !== (principal?.id ?? null)) return undefined;
    const revision = this.endpoint.server.revisions.get(head.revision) as Revision | undefined;
    if (revision === undefined) return undefined;
    const client = { ...head.client, revision: head.revision } as Client;
    const opened = await this.#openEarly(id, fields);
    return new ClusterSession(this, id, { revision, client, opened: head.opened }, { fields, opened }, principal);
  }

  async #head(id: string, token: string): Promise<SessionHead | undefined> {
    // With the id: a head that was copied to another record must not be found here.
    const key = `${id} ${token}`;
    const known = this.#heads.get(key);
    if (known !== undefined) return known;
    const text = await this.store.open(id, "h", token);
    if (text === undefined) return undefined;
    const head: SessionHead = JSON.parse(text);
    if (token.length > MAX_HEAD) return head;
    if (this.#heads.size >= MAX_HEADS) this.#heads.clear();
    this.#heads.set(key, head);
    return head;
  }

  /** `ctx.session.get` returns no promise; where opening needs one, all values are opened with the record. */
  async #openEarly(id: string, fields: RecordFields): Promise<ReadonlyMap<string, string> | undefined> {
    if (builtinModule("node:crypto") !== undefined) return undefined;
    const opened = new Map<string, string>();
    for (const [field, token] of Object.entries(fields)) {
      if (!/^[dw]:/.test(field)) continue;
      const text = await this.store.open(id, field, token);
      if (text !== undefined) opened.set(field, text);
    }
    return opened;
  }

  #noteExtended(id: string): void {
    if (this.#extended.size >= this.limits.maxSessions) this.#extended.clear();
    this.#extended.set(id, performance.now());
  }

  #schedule(): ReturnType<typeof setInterval> {
    const timer = setInterval(() => {
      for (const session of [...this.#local.values()]) {
        if (session.isIdle) this.release(session);
        else session.tick();
      }
    }, this.#interval);
    (timer as { unref?: () => void }).unref?.();
    return timer;
  }
}
