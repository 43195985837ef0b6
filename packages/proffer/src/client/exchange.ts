import type { ErrorObject } from "../protocol/errors.ts";
import { isObject, type JsonObject, type RequestId } from "../protocol/messages.ts";
import { contain, unref } from "../support/async.ts";
import { ConnectionError, RemoteError } from "./errors.ts";
import { findOversize, type Link, type LinkEvents, type OpenLink, type Outgoing } from "./link.ts";
import type { Notification, RequestOptions } from "./options.ts";
import { describeValue, explainMalformed } from "./shape.ts";

/** A request in flight. */
interface Pending {
  readonly method: string;
  readonly onProgress: RequestOptions["onProgress"];
  resolve(result: JsonObject): void;
  reject(error: unknown): void;
  /** Starts the time limit again, or only stops it. */
  touch(isWaiting?: boolean): void;
}

/** What the client does with the messages of the server that are no responses. */
export interface Incoming {
  /** Answers a request of the server. */
  answer(method: string, params: JsonObject): Promise<object>;
  notified(notification: Notification): void;
  lost(error: ConnectionError): void;
}

/** A request that was sent. */
export interface Sent {
  readonly id: RequestId;
  readonly response: Promise<JsonObject>;
}

/** Requests of the server that are answered at once. A server could send any number of them. */
const MAX_SERVED = 100;

/** Matches requests and responses, over one link after the other. Nothing that a server sends makes it throw. */
export class Exchange {
  readonly #link: Link;
  readonly #name: string;
  readonly #incoming: Incoming;
  readonly #pending = new Map<RequestId, Pending>();
  #opened: OpenLink | undefined;
  #lost: ConnectionError | undefined;
  #served = 0;
  #nextId = 1;

  /** @param name - the name of the server in messages. */
  constructor(link: Link, name: string, incoming: Incoming) {
    this.#link = link;
    this.#name = name;
    this.#incoming = incoming;
    this.reopen();
  }

  /** Why there is no connection any more. */
  get lost(): ConnectionError | undefined {
    return this.#lost;
  }

  get link(): OpenLink | undefined {
    return this.#opened;
  }

  /** Opens the link, again after the connection was lost. */
  reopen(): void {
    let isCurrent = true;
    const events: LinkEvents = {
      isPending: (id) => this.#pending.has(id),
      waiting: (id, isWaiting) => this.#pending.get(id)?.touch(isWaiting),
      fail: (error, id) => {
        if (id !== undefined) this.#pending.get(id)?.reject(error);
        const isOver = id === undefined || error.kind === "session";
        if (!isOver || !isCurrent) return;
        isCurrent = false;
        this.lose(error);
      },
    };
    this.#lost = undefined;
    this.#opened = this.#link((text) => this.#receive(text), events);
  }

  /** Sends a request at once. `_meta` may depend on its id. */
  request(
    method: string,
    params: object,
    metaOf: (id: RequestId) => object | undefined,
    options: RequestOptions,
  ): Sent {
    const id = this.#nextId++;
    const { signal, timeout = 0, onProgress } = options;
    const response = new Promise<JsonObject>((resolve, reject) => {
      if (signal?.aborted) return reject(signal.reason);
      if (this.#lost !== undefined) return reject(this.#lost);
      let timer: ReturnType<typeof setTimeout> | undefined;
      const end = () => {
        this.#pending.delete(id);
        clearTimeout(timer);
        signal?.removeEventListener("abort", abort);
      };
      const giveUp = (reason: unknown) => {
        this.#cancel(id);
        pending.reject(reason);
      };
      const abort = () => giveUp(signal?.reason);
      const pending: Pending = {
        method,
        onProgress,
        resolve(result) {
          end();
          resolve(result);
        },
        reject(error) {
          end();
          reject(error);
        },
        touch: (isWaiting = false) => {
          clearTimeout(timer);
          if (timeout === 0 || isWaiting) return;
          timer = unref(setTimeout(() => giveUp(this.#timeoutError(method, timeout)), timeout));
        },
      };
      pending.touch();
      signal?.addEventListener("abort", abort, { once: true });
      this.#pending.set(id, pending);
      const _meta = metaOf(id);
      this.#send({ jsonrpc: "2.0", id, method, params: { ...params, ...(_meta && { _meta }) } });
    });
    return { id, response };
  }

  notify(method: string, params?: object): void {
    this.#send({ jsonrpc: "2.0", method, ...(params && { params: params as JsonObject }) });
  }

  /** Rejects all requests in flight. */
  fail(error: Error): void {
    for (const pending of [...this.#pending.values()]) pending.reject(error);
  }

  async close(): Promise<void> {
    const isOpen = this.#lost === undefined;
    this.#lost ??= new ConnectionError("ended", "The client was closed.");
    if (isOpen) await this.#opened?.close();
    this.fail(this.#lost);
  }

  /** Ends the connection, which can be opened again. */
  lose(error: ConnectionError): void {
    if (this.#lost !== undefined) return;
    this.#lost = error;
    this.#incoming.lost(error);
    // Other requests of a forgotten session may have run: each has its own response.
    if (error.kind === "session") return;
    this.fail(error);
    // What is left of the server must not stay behind.
    void Promise.resolve(this.#opened?.close()).catch(() => undefined);
  }

  #send(message: Outgoing & { readonly jsonrpc: "2.0" }): void {
    if (this.#lost === undefined) this.#opened?.send(JSON.stringify(message), message);
  }

  #cancel(id: RequestId): void {
    if (!this.#pending.has(id) || this.#opened?.cancel?.(id)) return;
    this.notify("notifications/cancelled", { requestId: id });
  }

  #timeoutError(method: string, timeout: number): ConnectionError {
    return new ConnectionError("timeout", `${this.#name} did not respond to ${method} within ${timeout / 1000} s.`);
  }

  #receive(text: string): void {
    const problem = findOversize(text);
    if (problem !== undefined) {
      this.fail(new ConnectionError("malformed", `${this.#name} sent a message that ${problem}.`));
      return;
    }
    const value = parse(text);
    if (isObject(value)) this.#accept(value);
    else if (Array.isArray(value)) for (const each of value) if (isObject(each)) this.#accept(each);
  }

  /** A message that is not JSON-RPC, or that answers no request, is dropped. */
  #accept(message: JsonObject): void {
    const { id, method, params = {} } = message;
    if (typeof method !== "string") this.#settle(message);
    else if (!isObject(params)) return;
    else if (id === undefined) this.#notified({ method, params });
    else if (typeof id === "string" || typeof id === "number") void this.#serve(id, method, params);
  }

  #settle(message: JsonObject): void {
    const { result, error } = message;
    const pending = this.#pending.get(message.id as RequestId);
    if (pending === undefined) return;
    const problem = findProblem(message);
    if (problem !== undefined) {
      pending.reject(new ConnectionError("malformed", explainMalformed(this.#name, pending.method, problem)));
    } else if (isObject(error)) pending.reject(new RemoteError(error as unknown as ErrorObject, pending.method));
    else pending.resolve(result as JsonObject);
  }

  #notified(notification: Notification): void {
    const { method, params } = notification;
    if (method === "notifications/progress") {
      const { onProgress, touch } = this.#pending.get(params.progressToken as RequestId) ?? {};
      if (onProgress !== undefined) touch?.();
      contain(() => onProgress?.(params), throwLater);
    }
    contain(() => this.#incoming.notified(notification), throwLater);
  }

  /** Answers a request of the server, as in the older revisions. */
  async #serve(id: RequestId, method: string, params: JsonObject): Promise<void> {
    if (this.#served >= MAX_SERVED) {
      this.#send({ jsonrpc: "2.0", id, error: { code: -32603, message: `${MAX_SERVED} requests are open.` } } as never);
      return;
    }
    this.#served++;
    const answer = method === "ping" ? Promise.resolve({}) : this.#incoming.answer(method, params);
    const outcome = await answer.then(
      (result) => ({ result }),
      ({ message }: Error) => ({ error: { code: -32603, message } }),
    );
    this.#served--;
    // Only the time of a user does not count: a server that pings must not hold a request open.
    if (method !== "ping" && "result" in outcome) for (const pending of this.#pending.values()) pending.touch();
    this.#send({ jsonrpc: "2.0", id, ...outcome } as never);
  }
}

/** Reports a mistake in a function of the caller as one in a timer: the messages after it still arrive. */
function throwLater(error: unknown): void {
  queueMicrotask(() => {
    throw error;
  });
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Returns the problem with a response. */
function findProblem({ result, error }: JsonObject): string | undefined {
  if (error === undefined)
    return isObject(result) ? undefined : `result must be an object, not ${describeValue(result)}`;
  if (!isObject(error)) return `error must be an object, not ${describeValue(error)}`;
  if (!Number.isSafeInteger(error.code)) return `error.code must be an integer, not ${describeValue(error.code)}`;
  if (typeof error.message === "string") return undefined;
  return `error.message must be a string, not ${describeValue(error.message)}`;
}
