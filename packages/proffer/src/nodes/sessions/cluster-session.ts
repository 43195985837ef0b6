import type { Call } from "../../calls/call.ts";
import type { Client, Principal } from "../../calls/client.ts";
import { ClientRequests, type ClientResponse } from "../../calls/client-requests.ts";
import { suspended } from "../../calls/question.ts";
import { ERRORS } from "../../protocol/errors.ts";
import type { JsonObject, NotificationMessage, RequestId, ResponseMessage } from "../../protocol/messages.ts";
import type { MessageFault } from "../../protocol/parse.ts";
import type { Revision } from "../../protocol/revisions/revision.ts";
import type { DisconnectListener, HttpExchange } from "../../transports/http/exchange.ts";
import { HttpError } from "../../transports/http/http-error.ts";
import type { LegacySession, ReplyStream } from "../../transports/http/legacy-session.ts";
import type { RecordFields } from "../ports.ts";
import type { ClusterSessions } from "./cluster-sessions.ts";
import type { ClusterStream } from "./cluster-stream.ts";
import { openingOf, parseEventId } from "./delivery.ts";
import type { LocalSession } from "./local-session.ts";
import { ClusterSessionState, type StateChange } from "./session-state.ts";
import { followerIsThere, listenerIsThere, nodeOf } from "./session-store.ts";

const REQUEST_ID = /^proffer-([\w-]{12})-\d{1,15}$/;

/** The part of a session that never changes. */
export interface OpenedHead {
  readonly revision: Revision;
  readonly client: Client;
  /** In milliseconds since 1970. */
  readonly opened: number;
  /** By whom it is counted; undefined if nothing is known. */
  readonly caller: string | undefined;
}

/** A session of the shared store, as one request found it. */
export class ClusterSession implements LegacySession {
  readonly id: string;
  readonly state: ClusterSessionState;
  readonly principal: Principal | undefined;
  readonly head: OpenedHead;
  fields: RecordFields;
  /** The values that were opened when the record was read, where that takes a promise. */
  readonly #values: ReadonlyMap<string, string> | undefined;
  readonly #sessions: ClusterSessions;
  #saving: Promise<void> | undefined;

  constructor(
    sessions: ClusterSessions,
    id: string,
    head: OpenedHead,
    fields: RecordFields,
    principal: Principal | undefined,
    values?: ReadonlyMap<string, string>,
  ) {
    this.id = id;
    this.principal = principal;
    this.head = head;
    this.fields = fields;
    this.#values = values;
    this.#sessions = sessions;
    this.state = new ClusterSessionState(head.revision, head.client, id, this);
  }

  get listener(): LocalSession {
    return this.#sessions.local(this.id, this.principal);
  }

  get maxDataBytes(): number {
    return this.#sessions.limits.maxDataBytes;
  }

  /** Opens a sealed field, at once; undefined if it cannot be opened. */
  open(field: string): string | undefined {
    const token = this.fields[field];
    if (token === undefined || this.#values !== undefined) return this.#values?.get(field);
    return this.#sessions.store.open(this.id, field, token) as string | undefined;
  }

  async notified({ method, params }: NotificationMessage): Promise<void> {
    if (method === "notifications/initialized") {
      this.state.ready = true;
      await this.save();
    }
    if (method === "notifications/cancelled") await this.#sessions.cancel(this.id, params?.requestId as RequestId);
  }

  /** Passes the response to the node that asked. Only an outstanding request of this session can be answered, once. */
  async receive(message: ResponseMessage): Promise<void> {
    const { id } = message;
    const node = typeof id === "string" ? REQUEST_ID.exec(id)?.[1] : undefined;
    if (node === undefined || this.#sessions.answered(this.id, message)) return;
    const field = `r:${id}`;
    const { store } = this.#sessions;
    const { jsonrpc: _, ...response } = message;
    const sealed = await store.seal(this.id, field, JSON.stringify(response));
    const question = `q:${id}`;
    await store.change(this.id, { if: { [question]: "1" }, remove: [question], set: { [field]: sealed } });
    // Also if the change was refused: it may have been made by a command whose reply was lost.
    store.publish(`node ${node}`, `session ${this.id}`);
  }

  async receiveFault({ responseTo, error: { message } }: MessageFault): Promise<void> {
    if (responseTo === undefined) return;
    await this.receive({ jsonrpc: "2.0", id: responseTo, error: { code: ERRORS.invalid_request, message } });
  }

  async request(
    call: Call,
    method: string,
    params: JsonObject,
    write: (text: string) => void,
  ): Promise<ClientResponse> {
    try {
      // Calls on other nodes see the data that the handler stored before it asked.
      await this.#flush();
      // Nobody would withdraw a request that is sent after the call has ended.
      if (call.done || call.signal.aborted) return await suspended(call);
      return await this.listener.questions.ask(call, method, params, write);
    } catch (error) {
      throw error instanceof HttpError ? error.error : error;
    }
  }

  openStream(exchange: HttpExchange, listener: DisconnectListener): ReplyStream {
    return this.listener.openStream(exchange, listener, this.state.revision.primed);
  }

  closeStream(stream: ReplyStream): void {
    (stream as ClusterStream).close();
  }

  /** Decided by the record, because the client may listen on any node. If the store fails, it is asked again later. */
  async listens(stream: ReplyStream): Promise<boolean> {
    const { store, lease } = this.#sessions;
    try {
      const { made, fields } = await store.change(this.id, { stamp: ["t"] });
      return made && (listenerIsThere(fields, lease) || followerIsThere(fields, (stream as ClusterStream).name, lease));
    } catch {
      return true;
    }
  }

  save(): Promise<void> | undefined {
    this.state.isAnswered = true;
    return this.#flush();
  }

  #flush(): Promise<void> | undefined {
    const change = this.state.takeChange();
    if (change === undefined) return this.#saving;
    const earlier = this.#saving?.catch(() => {}) ?? Promise.resolve();
    const saving = earlier.then(() => this.#save(change));
    this.#saving = saving;
    const done = () => {
      if (this.#saving === saving) this.#saving = undefined;
    };
    saving.then(done, done);
    return saving;
  }

  /** The state has changed after the response was sent. */
  changedLate(): void {
    this.save()?.catch(() => {});
  }

  listen(exchange: HttpExchange): Promise<void> {
    return this.listener.listen(this, exchange);
  }

  async resume(exchange: HttpExchange, lastEventId: string): Promise<void> {
    const last = parseEventId(lastEventId);
    if (last === undefined) throw new HttpError(400, "Last-Event-ID is not the id of an event of this session.");
    if (openingOf(last.stream) === undefined) await this.listener.resume(exchange, last);
    else await this.listener.listen(this, exchange, last);
  }

  async #save({ values, plain, remove, concernsListener }: StateChange): Promise<void> {
    const { store, limits } = this.#sessions;
    const set: Record<string, string> = { ...plain };
    for (const [field, value] of values) set[field] = await store.seal(this.id, field, value);
    const { made, fields } = await store.change(this.id, { set, remove, expire: limits.idleTimeout });
    // A session that has ended keeps nothing; the call is answered all the same.
    if (!made) return;
    this.fields = fields;
    const { get } = fields;
    if (concernsListener && get !== undefined) store.publish(`node ${nodeOf(get)}`, `session ${this.id}`);
  }
}

/** The requests that calls on this node sent to the client of a session, and that are not answered. */
export class LocalQuestions {
  readonly #id: string;
  readonly #sessions: ClusterSessions;
  readonly #asked = new Set<RequestId>();
  #requests: ClientRequests | undefined;
  #requestId = "";

  constructor(id: string, sessions: ClusterSessions) {
    this.#id = id;
    this.#sessions = sessions;
  }

  get size(): number {
    return this.#asked.size;
  }

  /** The number of calls that wait for a response. */
  get calls(): number {
    return this.#requests?.calls ?? 0;
  }

  /** Sends a request to the client. The record knows which requests are outstanding: no other can be answered. */
  async ask(call: Call, method: string, params: JsonObject, write: (text: string) => void): Promise<ClientResponse> {
    const id = `proffer-${this.#sessions.node}-${this.#sessions.nextNumber()}`;
    this.#asked.add(id);
    const entered = this.#sessions.store.change(this.#id, { set: { [`q:${id}`]: "1" } });
    let isSent = false;
    this.#requests ??= new ClientRequests(() => this.#requestId);
    this.#requestId = id;
    const response = this.#requests.send(call, method, params, (text) => {
      entered.then(() => write(text)).catch(() => {});
      // The second message withdraws the first.
      if (isSent) this.#forget(id);
      isSent = true;
    });
    try {
      if (!(await entered).made) throw new HttpError(404, "The session has ended.");
    } catch (error) {
      this.receive({ jsonrpc: "2.0", id, error: {} });
      throw error;
    }
    return response;
  }

  /** Passes a response to the call that waits for it; false if none on this node does. */
  receive(message: ResponseMessage): boolean {
    if (!this.#asked.has(message.id)) return false;
    this.#forget(message.id);
    this.#requests?.receive(message);
    return true;
  }

  /** Receives the responses that other nodes have stored in the record. */
  async receiveStored(fields: RecordFields): Promise<void> {
    for (const id of [...this.#asked]) {
      const field = `r:${id}`;
      const token = fields[field];
      const text = token && (await this.#sessions.store.open(this.#id, field, token));
      if (text) this.receive({ jsonrpc: "2.0", ...JSON.parse(text), id });
    }
  }

  clear(): void {
    this.#asked.clear();
  }

  #forget(id: RequestId): void {
    if (!this.#asked.delete(id)) return;
    this.#sessions.store.change(this.#id, { remove: [`q:${id}`, `r:${id}`] }).catch(() => {});
  }
}
