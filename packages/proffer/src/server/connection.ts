import { Batch, batchProblem } from "../calls/batch.ts";
import { Call, type CallOrigin } from "../calls/call.ts";
import { CallsById } from "../calls/calls-by-id.ts";
import { ClientRequests, type ClientResponse } from "../calls/client-requests.ts";
import { envelopeRevision, hasEnvelope } from "../calls/envelope.ts";
import { LateHandlers } from "../calls/late-handlers.ts";
import type { Principal } from "../calls/principal.ts";
import type { SessionState } from "../calls/session.ts";
import type { ChangeListener, ListKind } from "../catalog/changes.ts";
import { RpcError } from "../protocol/errors.ts";
import {
  isRequest,
  isResponse,
  type JsonObject,
  type Message,
  type NotificationMessage,
  type RequestId,
  type RequestMessage,
  type Wire,
} from "../protocol/messages.ts";
import { MessageFault, parseMessage } from "../protocol/parse.ts";
import type { Revision } from "../protocol/revisions/revision.ts";
import { errorMessage, toErrorObject } from "../results/encode.ts";
import { dispatch, respondError } from "./dispatch.ts";
import { openSession } from "./lifecycle.ts";
import type { ServerState } from "./server.ts";

export interface ConnectionOptions {
  /** Sends one message to the client. */
  readonly send: (wire: Wire) => void;
  /** Whether the client reads what it is sent. While it does not, what calls say besides their answers is left out. */
  readonly isReading?: (() => boolean) | undefined;
  readonly principal?: Principal | undefined;
  readonly exposeErrors?: boolean | undefined;
  /** With so many requests in work, another is answered with the error `busy`. Default: no limit. */
  readonly maxInFlight?: number | undefined;
}

/**
 * One client over a transport that keeps a connection. Each message is understood by itself: a request that names its
 * revision is served in it; any other belongs to the session that `initialize` opened.
 */
export class Connection implements CallOrigin, ChangeListener {
  readonly principal: Principal | undefined;
  readonly exposeErrors: boolean;
  session: SessionState | undefined;
  readonly #server: ServerState;
  readonly #send: (wire: Wire) => void;
  readonly #heeded: (() => boolean) | undefined;
  readonly #maxInFlight: number;
  readonly #calls = new CallsById();
  readonly #overruns = new LateHandlers();
  readonly #asked = new ClientRequests();
  /** What the last request that described itself spoke: the best guess for a message that cannot be read. */
  #claimed: Revision | undefined;
  #stopListening: (() => void) | undefined;
  #draining = false;
  #closed = false;
  #idle: (() => void) | undefined;

  constructor(server: ServerState, options: ConnectionOptions) {
    this.#server = server;
    this.#send = options.send;
    this.#heeded = options.isReading;
    this.principal = options.principal;
    this.exposeErrors = options.exposeErrors ?? false;
    this.#maxInFlight = options.maxInFlight ?? Number.POSITIVE_INFINITY;
  }

  get listener(): ChangeListener {
    return this;
  }

  /** How many requests are in work, those included whose handlers did not heed their time limit. */
  get inFlight(): number {
    return this.#calls.size + this.#overruns.count;
  }

  /** Takes the text of one message from the client. */
  receive(text: string): void {
    if (this.#closed) return;
    const parsed = parseMessage(text, this.#server.limits.messageItems);
    if (Array.isArray(parsed)) this.#receiveBatch(parsed);
    else if (!(parsed instanceof MessageFault)) this.#receiveMessage(parsed, this);
    else {
      this.#asked.receiveFault(parsed);
      if (!parsed.notification) this.respondError(parsed.error, parsed.id);
    }
  }

  /** Answers a message that could not be understood. */
  respondError(error: RpcError, id?: RequestId): void {
    this.#send(this.#refusal(error, id));
  }

  notify(_call: Call, text: string): void {
    if (this.#heeded === undefined || this.#heeded()) this.#send(text);
  }

  request(call: Call, method: string, params: JsonObject): Promise<ClientResponse> {
    return this.#asked.send(call, method, params, this.#send);
  }

  respond(call: Call, wire: Wire): void {
    // In this order: whoever waits for the last answer must find it sent.
    this.#send(wire);
    this.onSettled(call);
  }

  onSettled(call: Call): void {
    if (!this.#calls.delete(call)) return;
    this.#overruns.add(call);
    if (this.#calls.size === 0) this.#idle?.();
  }

  listChanged(kind: ListKind): void {
    if (this.session?.ready) this.#send(`{"jsonrpc":"2.0","method":"notifications/${kind}/list_changed"}`);
  }

  updated(uri: string): void {
    this.#send(notification("notifications/resources/updated", { uri }));
  }

  /** Takes no new requests, ends what would go on for ever, and resolves when the rest is answered. */
  drain(): Promise<void> {
    this.#draining = true;
    const endless = this.#calls.all().filter((call) => call.end !== undefined);
    for (const call of endless) call.end?.();
    return new Promise((resolve) => {
      this.#idle = () => {
        for (const { id } of endless) {
          this.#send(notification("notifications/cancelled", { requestId: id }));
        }
        resolve();
      };
      if (this.#calls.size === 0) this.#idle();
    });
  }

  /** Tells whatever is in work to stop; what is answered nevertheless is sent. */
  abort(reason: string): void {
    for (const call of this.#calls.all()) call.abort(reason);
  }

  /** Gives up whatever is in work. Closing twice is closing once. */
  close(reason = "The connection was closed."): void {
    this.#closed = true;
    this.#stopListening?.();
    this.#stopListening = undefined;
    this.session?.close();
    for (const call of this.#calls.all()) this.#giveUp(call, reason);
  }

  get #revision(): Revision {
    return this.session?.revision ?? this.#server.revisions.assumed;
  }

  #refusal(error: RpcError, id: RequestId | undefined): string {
    const revision = this.session?.revision ?? this.#claimed ?? this.#revision;
    return errorMessage(id ?? revision.unreadableId, toErrorObject(error, revision));
  }

  #receiveMessage(message: Message, origin: CallOrigin): void {
    if (isResponse(message)) this.#asked.receive(message);
    else if (isRequest(message)) this.#receiveRequest(message, origin);
    else this.#receiveNotification(message);
  }

  #receiveRequest(message: RequestMessage, origin: CallOrigin): void {
    let revision = this.#revision;
    try {
      if (hasEnvelope(message.params)) {
        revision = envelopeRevision(message.params, this.#server.revisions);
        this.#claimed = revision;
      } else if (message.method === "initialize") revision = this.#initialize(message);
      this.#checkRequest(message);
    } catch (error) {
      respondError(new Call(this.#server, origin, revision, message), error);
      return;
    }
    const call = new Call(this.#server, origin, revision, message);
    this.#calls.add(call);
    dispatch(call);
  }

  #checkRequest({ id }: RequestMessage): void {
    if (this.#draining) throw new RpcError("busy", "The server is shutting down; connect again later.");
    if (this.#calls.has(id)) {
      throw new RpcError("invalid_request", `A request with the id ${JSON.stringify(id)} is still in work.`);
    }
    // Reading no further instead would shut out cancellations, and the answers that the work is waiting for.
    if (this.inFlight >= this.#maxInFlight) {
      throw new RpcError(
        "busy",
        `${this.#maxInFlight} requests are in work; send this one again when some are answered.`,
      );
    }
  }

  #initialize(message: RequestMessage): Revision {
    if (this.session !== undefined) {
      throw new RpcError("invalid_request", "This connection is initialized already; open another one.");
    }
    this.session = openSession(this.#server, message.params);
    this.#stopListening = this.#server.changes.listen(this);
    return this.session.revision;
  }

  #receiveNotification({ method, params }: NotificationMessage): void {
    if (method === "notifications/initialized" && this.session !== undefined) this.session.ready = true;
    if (method !== "notifications/cancelled") return;
    const call = this.#calls.get(params?.requestId as RequestId);
    // Without an answer to initialize neither side would know what was agreed on.
    if (call === undefined || call.method === "initialize") return;
    this.#giveUp(call, "The client cancelled the request.");
  }

  #giveUp(call: Call, reason: string): void {
    call.cancel(reason);
    this.onSettled(call);
    call.origin.onCancelled?.(call);
  }

  #receiveBatch(parsed: readonly (Message | MessageFault)[]): void {
    const problem = batchProblem(parsed, this.#revision);
    if (problem !== undefined) {
      this.respondError(new RpcError("invalid_request", problem));
      return;
    }
    const answers = parsed.filter((item) => (item instanceof MessageFault ? !item.notification : isRequest(item)));
    const batch = new Batch(this, answers.length, this.#send);
    for (const item of parsed) {
      if (!(item instanceof MessageFault)) {
        this.#receiveMessage(item, batch);
        continue;
      }
      this.#asked.receiveFault(item);
      if (!item.notification) batch.add(this.#refusal(item.error, item.id));
    }
  }
}

function notification(method: string, params: object): string {
  return JSON.stringify({ jsonrpc: "2.0", method, params });
}
