import { batchRevision } from "../calls/batch.ts";
import { Call, type CallOrigin, type TransportName } from "../calls/call.ts";
import { type Client, envelopeRevision, hasEnvelope, type Principal, type SessionState } from "../calls/client.ts";
import { ClientRequests, type ClientResponse } from "../calls/client-requests.ts";
import { cancelCall, InFlight } from "../calls/in-flight.ts";
import type { ChangeKind, ChangeListener } from "../catalog/changes.ts";
import { RpcError } from "../protocol/errors.ts";
import {
  isResponse,
  type JsonObject,
  type NotificationMessage,
  type RequestId,
  type RequestMessage,
  type Wire,
} from "../protocol/messages.ts";
import type { LogLevel } from "../protocol/model.ts";
import { MessageFault } from "../protocol/parse.ts";
import type { Revision } from "../protocol/revisions/revision.ts";
import { errorText } from "../results/encode.ts";
import { respondError } from "./dispatch.ts";
import { type Admitted, type BatchReply, Inbox, type OneWayMessage } from "./inbox.ts";
import { openSession } from "./methods.ts";
import type { ServerState } from "./server.ts";

export interface ConnectionOptions {
  readonly transport: TransportName;
  /** Sends one message to the client. */
  readonly send: (wire: Wire) => void;
  /** Whether the client reads its messages. While it does not, log messages and progress are dropped. */
  readonly isReading?: (() => boolean) | undefined;
  readonly principal?: Principal | undefined;
  /** The network address of the client, where the transport knows one. */
  readonly address?: string | undefined;
  /** With this many requests in flight, the next one gets the error `busy`. Default: no limit. */
  readonly maxInFlight?: number | undefined;
  /** A table that several connections share, instead of one of its own with `maxInFlight`. */
  readonly inFlight?: InFlight | undefined;
}

/**
 * One client over a transport that keeps a connection. Each message is classified on its own: a request that names its
 * revision in `_meta` is served in that revision; any other belongs to the session that `initialize` opened.
 */
export class Connection extends Inbox<undefined> implements CallOrigin, ChangeListener {
  readonly transport: TransportName;
  principal: Principal | undefined;
  readonly address: string | undefined;
  query: string | undefined;
  session: SessionState | undefined;
  readonly #send: (wire: Wire) => void;
  readonly #isReading: (() => boolean) | undefined;
  readonly #inFlight: InFlight;
  readonly #clientRequests = new ClientRequests();
  /** The revision of the last request with an envelope: the best guess for a message that cannot be parsed. */
  #lastRevision: Revision | undefined;
  #stopListening: (() => void) | undefined;
  #closed = false;

  constructor(server: ServerState, options: ConnectionOptions) {
    super(server);
    this.#send = options.send;
    this.#isReading = options.isReading;
    this.transport = options.transport;
    this.principal = options.principal;
    this.address = options.address;
    this.#inFlight = options.inFlight ?? new InFlight(options.maxInFlight);
  }

  get listener(): ChangeListener {
    return this;
  }

  get client(): Client | undefined {
    return this.session?.client;
  }

  /** The number of requests in flight, including handlers that still run after their time limit. */
  get inFlight(): number {
    return this.#inFlight.size;
  }

  override receive(text: string): void {
    if (!this.#closed) super.receive(text, undefined);
  }

  /** Answers a message that could not be parsed. */
  respondError(error: RpcError, id?: RequestId): void {
    this.#send(this.#errorText(error, id));
  }

  notify(_call: Call, text: string): void {
    if (this.#isReading === undefined || this.#isReading()) this.#send(text);
  }

  request(call: Call, method: string, params: JsonObject): Promise<ClientResponse> {
    return this.#clientRequests.send(call, method, params, this.#send);
  }

  respond(call: Call, wire: Wire): void {
    // In this order: when `drain` resolves, the last response must have been sent.
    this.#send(wire);
    this.onSettled(call);
  }

  onSettled(call: Call): void {
    this.#inFlight.delete(call);
  }

  listChanged(changed: ChangeKind): void {
    const kind = this.server.features.changeFor(() => this.client, changed);
    if (this.session?.ready && kind !== undefined)
      this.#send(`{"jsonrpc":"2.0","method":"notifications/${kind}/list_changed"}`);
  }

  updated(uri: string): void {
    this.#send(notification("notifications/resources/updated", { uri }));
  }

  logged(level: LogLevel, text: string): void {
    if (this.session?.ready && this.session.wants(level) && this.#isReading?.() !== false) this.#send(text);
  }

  /** Accepts no new requests, ends subscriptions, and resolves when the rest is answered. */
  async drain(): Promise<void> {
    const listening = this.#inFlight.all(this).filter((call) => call.end !== undefined);
    await this.#inFlight.drain();
    for (const { id } of listening) this.#send(notification("notifications/cancelled", { requestId: id }));
  }

  /** Aborts the signal of every call in flight; calls that still return a result are answered. */
  abort(reason: string): void {
    for (const call of this.#inFlight.all(this)) call.abort(reason);
  }

  /** Cancels every call in flight without an answer. Closing twice has no effect. */
  close(reason = "The connection was closed."): void {
    this.#closed = true;
    this.#stopListening?.();
    this.#stopListening = undefined;
    this.session?.close();
    for (const call of this.#inFlight.all(this)) cancelCall(call, reason);
  }

  get #revision(): Revision {
    return this.session?.revision ?? this.server.revisions.assumed;
  }

  #errorText(error: RpcError, id: RequestId | undefined): string {
    const revision = this.session?.revision ?? this.#lastRevision ?? this.#revision;
    return errorText(error, id, revision);
  }

  protected admit(message: RequestMessage): Admitted {
    const { method, params } = message;
    const isModern = hasEnvelope(params);
    if (isModern) this.#lastRevision = envelopeRevision(params, this.server.revisions);
    const busy = this.busy(message);
    if (busy !== undefined) throw busy;
    if (method === "initialize" && !isModern) this.#initialize(message);
    return { origin: this, revision: (isModern && this.#lastRevision) || this.#revision };
  }

  protected busy({ id }: Pick<Call, "id">): RpcError | undefined {
    // To stop reading instead would also block cancellations, and the answers that handlers are waiting for.
    const busy = this.#inFlight.busy(this);
    if (busy !== undefined || this.#inFlight.find(this, id) === undefined) return busy;
    return new RpcError("invalid_request", `A request with the id ${JSON.stringify(id)} is still in flight.`);
  }

  protected keep(call: Call): void {
    this.#inFlight.add(call);
  }

  protected refuse(error: unknown, _where: undefined, message?: RequestMessage): void {
    if (message === undefined) {
      this.respondError(error as RpcError);
      return;
    }
    const named = batchRevision([message], this.server.revisions);
    const revision = named?.handshake === false ? named : this.#revision;
    respondError(new Call(this.server, this, revision, message), error);
  }

  #initialize(message: RequestMessage): void {
    if (this.session !== undefined) {
      throw new RpcError("invalid_request", "This connection is already initialized; open another one.");
    }
    this.session = openSession(this.server, message.params);
    this.#stopListening = this.server.changes.listen(this);
  }

  protected receiveOneWay(message: OneWayMessage): void {
    this.#receive(message);
    if (message instanceof MessageFault && !message.notification) this.respondError(message.error, message.id);
  }

  protected revisionOfBatch(named: Revision | undefined): Revision {
    return named ?? this.#revision;
  }

  protected openBatch(): BatchReply {
    return { origin: this, send: this.#send, receive: (item) => this.#receive(item) };
  }

  #receive(message: OneWayMessage): void {
    if (message instanceof MessageFault) this.#clientRequests.receiveFault(message);
    else if (isResponse(message)) this.#clientRequests.receive(message);
    else this.#receiveNotification(message);
  }

  #receiveNotification({ method, params }: NotificationMessage): void {
    if (method === "notifications/initialized" && this.session !== undefined) this.session.ready = true;
    if (method !== "notifications/cancelled") return;
    const call = this.#inFlight.find(this, params?.requestId as RequestId);
    // Without a response to initialize, neither side would know which revision was agreed on.
    if (call === undefined || call.method === "initialize") return;
    cancelCall(call, "The client cancelled the request.");
  }
}

function notification(method: string, params: object): string {
  return JSON.stringify({ jsonrpc: "2.0", method, params });
}
