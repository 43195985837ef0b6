import http from "node:http";
import { headersOf, isStream, MODERN, readAll, readEvents } from "../wire.mjs";
import { sendPatiently } from "./patience.mjs";

/**
 * Connects a client of `proffer/testing` to the server over Streamable HTTP.
 * @param client - its port, secret, revision and tally
 */
export function linkHttp(client, receive) {
  return new HttpLink(client, receive);
}

class HttpLink {
  #client;
  #receive;
  #agent = new http.Agent({ keepAlive: true });
  #stop = new AbortController();
  /** Ends the request of each id that is in flight. */
  #inFlight = new Map();
  #last = Promise.resolve();
  #session;

  constructor(client, receive) {
    this.#client = client;
    this.#receive = receive;
  }

  /** Sends messages in order; later ones wait for all but requests, whose answer may need one of them. */
  send(text) {
    const message = JSON.parse(text);
    const { id, method, params } = message;
    const isRequest = id !== undefined && method !== undefined;
    this.#last = this.#last.then(async () => {
      if (method === "notifications/cancelled") {
        const cancel = this.#inFlight.get(params.requestId);
        this.#inFlight.delete(params.requestId);
        // Closing the response cancels a request of 2026-07-28.
        if (this.#client.revision === MODERN) {
          cancel?.abort();
          return;
        }
      }
      const sent = this.#post(message, text).catch((error) => this.#fail(id, isRequest, error));
      if (!isRequest || method === "initialize") await sent;
      if (method === "notifications/initialized") await this.#listen().catch((error) => this.#fail(id, false, error));
    });
  }

  async close() {
    await this.#last;
    this.#stop.abort();
    if (this.#session !== undefined) {
      const { secret: token, revision } = this.#client;
      const headers = headersOf({}, { revision, token, session: this.#session });
      const response = await this.#send({ method: "DELETE", headers });
      await readAll(response);
    }
  }

  /** Closes all connections at once. */
  destroy() {
    this.#stop.abort();
    this.#agent.destroy();
  }

  async #post(message, body) {
    const { secret: token, revision } = this.#client;
    const headers = headersOf(message, { revision, token, session: this.#session });
    const cancel = new AbortController();
    const signal = AbortSignal.any([cancel.signal, this.#stop.signal]);
    const { id, method } = message;
    if (method !== undefined && id !== undefined) this.#inFlight.set(id, cancel);
    try {
      const response = await this.#send({ headers, body, signal });
      if (method === "initialize") this.#session = response.headers["mcp-session-id"];
      if (isStream(response)) await readEvents(response, (_name, data) => this.#take(data));
      else {
        const text = await readAll(response);
        if (text !== "") this.#take(text);
      }
    } catch (error) {
      if (!signal.aborted) throw error;
      return;
    }
    if (this.#inFlight.has(id) && !signal.aborted) throw new Error("The response ended without an answer.");
  }

  #send(options) {
    const { port, tally } = this.#client;
    return sendPatiently(port, { agent: this.#agent, ...options }, tally);
  }

  /** Opens the stream for messages that belong to no request. */
  async #listen() {
    const { secret: token, revision } = this.#client;
    const headers = headersOf({}, { revision, token, session: this.#session });
    const response = await this.#send({ method: "GET", headers, signal: this.#stop.signal });
    if (!isStream(response)) throw new Error(`GET was answered with ${response.statusCode} ${await readAll(response)}`);
    void readEvents(response, (_name, data) => this.#take(data));
  }

  #take(text) {
    const { id, method } = JSON.parse(text);
    if (method === undefined) this.#inFlight.delete(id);
    this.#receive(text);
  }

  /** A request that fails is answered with an error, so that its caller does not wait; another failure is counted. */
  #fail(id, isRequest, error) {
    if (!isRequest) this.#client.tally.wrong(`${this.#client.revision} HTTP: ${error.message}`);
    else if (this.#inFlight.delete(id)) {
      this.#receive(JSON.stringify({ jsonrpc: "2.0", id, error: { code: 0, message: error.message } }));
    }
  }
}
