import type { Call } from "../../calls/call.ts";
import { ClientRequests, type ClientResponse } from "../../calls/client-requests.ts";
import type { JsonObject, RequestId, ResponseMessage } from "../../protocol/messages.ts";
import { HttpError } from "../../transports/http/http-error.ts";
import type { RecordFields } from "../ports.ts";
import type { ClusterSessions } from "./sessions.ts";

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
    const id = this.#sessions.createRequestId();
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
