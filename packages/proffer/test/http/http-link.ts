import type { IncomingMessage } from "node:http";
import type { Link } from "proffer/testing";
import { EventClient, isEventStream, isMessage } from "./event-client.ts";
import { JSON_REQUEST, MODERN, modernHeaders, readBody, request } from "./http-client.ts";

interface Message {
  readonly id?: string | number;
  readonly method?: string;
  readonly params?: { readonly requestId?: unknown; readonly _meta?: { readonly [key: string]: unknown } };
  readonly result?: { readonly protocolVersion?: string };
}

const VERSION_KEY = "io.modelcontextprotocol/protocolVersion";

/** Connects a testing client to a server over Streamable HTTP. */
export function linkHttp(url: string): Link {
  return (receive) => new HttpLink(url, receive);
}

class HttpLink {
  readonly #url: string;
  readonly #receive: (text: string) => void;
  readonly #stop = new AbortController();
  /** Cancels each request that is in flight, by its id. */
  readonly #inFlight = new Map<unknown, AbortController>();
  readonly #failures: string[] = [];
  #last: Promise<void> = Promise.resolve();
  /** Headers of every request after the first one. */
  #headers: { [name: string]: string } = {};

  constructor(url: string, receive: (text: string) => void) {
    this.#url = url;
    this.#receive = receive;
  }

  /** Sends messages in order. Later messages wait for all but requests, whose response may need one of them. */
  send(text: string): void {
    const messages = parse(text);
    const first = isBatch(text) ? undefined : messages[0];
    this.#last = this.#last.then(async () => {
      if (first?.method === "notifications/cancelled" && this.#isModern) {
        // Closing the response stream cancels a request of 2026-07-28 over HTTP.
        this.#inFlight.get(first.params?.requestId)?.abort();
        return;
      }
      const sent = this.#post(text, messages).catch((error) => this.#fail(messages, String(error)));
      const waits = first?.method === "initialize" || !messages.some(isRequest);
      if (waits) await sent;
      if (first?.method === "initialize") await this.#listen();
    });
  }

  async close(): Promise<void> {
    await this.#last;
    this.#stop.abort();
    if (this.#headers["mcp-session-id"] !== undefined) {
      await readBody(await request(this.#url, { method: "DELETE", headers: this.#headers }));
    }
    if (this.#failures.length > 0) throw new Error(this.#failures.join("\n"));
  }

  get #isModern(): boolean {
    return this.#headers["mcp-protocol-version"] === MODERN;
  }

  async #post(text: string, messages: readonly Message[]): Promise<void> {
    const first = isBatch(text) ? undefined : messages[0];
    const isModern = first?.params?._meta?.[VERSION_KEY] === MODERN;
    if (isModern) this.#headers["mcp-protocol-version"] = MODERN;
    const headers = {
      ...(isModern ? modernHeaders({ method: "", ...first }) : JSON_REQUEST),
      ...this.#headers,
    };
    const cancel = new AbortController();
    for (const { id } of messages.filter(isRequest)) this.#inFlight.set(id, cancel);
    // A canceled request gets no answer.
    for (const { params } of messages.filter(isCancellation)) this.#inFlight.delete(params?.requestId);
    const signal = AbortSignal.any([cancel.signal, this.#stop.signal]);
    try {
      const response = await request(this.#url, { method: "POST", headers, body: text, signal });
      if (first?.method === "initialize") this.#openSession(response);
      await this.#deliver(response);
      // One error without an id answers all requests of a batch.
      if (isBatch(text) && response.statusCode === 400) for (const { id } of messages) this.#inFlight.delete(id);
    } catch (error) {
      if (!signal.aborted) throw error;
      return;
    }
    if (!signal.aborted) this.#fail(messages, "The response ended without an answer.");
  }

  /** Reports requests that got no answer, so that no test waits for it. */
  #fail(messages: readonly Message[], reason: string): void {
    for (const { id, method } of messages.filter(isRequest)) {
      if (!this.#inFlight.delete(id)) continue;
      this.#failures.push(`${method} ${JSON.stringify(id)}: ${reason}`);
      this.#receive(JSON.stringify({ jsonrpc: "2.0", id, error: { code: 0, message: reason } }));
    }
  }

  #openSession(response: IncomingMessage): void {
    const id = response.headers["mcp-session-id"];
    if (typeof id === "string") this.#headers["mcp-session-id"] = id;
  }

  /** Opens the stream for messages that belong to no request. */
  async #listen(): Promise<void> {
    if (this.#headers["mcp-session-id"] === undefined) return;
    const headers = { accept: "text/event-stream", ...this.#headers };
    const response = await request(this.#url, { headers, signal: this.#stop.signal });
    if (isEventStream(response)) void this.#deliver(response);
    else this.#failures.push(`GET: ${response.statusCode} ${await readBody(response)}`);
  }

  /** Resolves at the end of the response. */
  async #deliver(response: IncomingMessage): Promise<void> {
    if (isEventStream(response)) {
      await new EventClient(response, (event) => isMessage(event) && this.#take(event.data)).ended;
      return;
    }
    const body = await readBody(response);
    if (response.headers["content-type"]?.startsWith("application/json")) this.#take(body);
  }

  #take(text: string): void {
    if (this.#stop.signal.aborted) return;
    for (const { id, method, result } of parse(text)) {
      if (method === undefined) this.#inFlight.delete(id);
      // Clients repeat the negotiated revision in a header since 2025-06-18.
      const version = result?.protocolVersion;
      if (version !== undefined && version >= "2025-06-18") this.#headers["mcp-protocol-version"] = version;
    }
    this.#receive(text);
  }
}

function isBatch(text: string): boolean {
  return text.startsWith("[");
}

function isRequest({ id, method }: Message): boolean {
  return id !== undefined && typeof method === "string";
}

function isCancellation({ method }: Message): boolean {
  return method === "notifications/cancelled";
}

/** Returns the messages of a text: one, or those of a batch; none if it is not JSON, since tests send such texts. */
function parse(text: string): Message[] {
  try {
    const value: unknown = JSON.parse(text);
    return (Array.isArray(value) ? value : [value]).filter((item) => typeof item === "object" && item !== null);
  } catch {
    return [];
  }
}
