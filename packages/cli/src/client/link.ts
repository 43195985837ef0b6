import type { Headers } from "./headers.ts";
import { type ByteBudget, findOversize } from "./limits.ts";
import { describeValue, explainMalformed, isObject } from "./shape.ts";

/** The head of an HTTP message, as it was sent or received. */
export interface SeenHead {
  readonly method?: string;
  readonly status?: number;
  readonly requestHeaders?: Headers;
  readonly responseHeaders?: Headers;
  readonly eventId?: string;
}

/** Sees what a link sends and receives, exactly and before it is checked. */
interface LinkObserver {
  sent?(text: string, head?: SeenHead): void;
  received?(text: string, head?: SeenHead): void;
  /** What a command writes to stderr. Default: it is passed on to the terminal, escaped. */
  stderr?(text: string): void;
  /** The other side has ended: no message will come. */
  ended?(reason: string): void;
  /** A stream broke off that would have had messages: the server may be gone. */
  interrupted?(): void;
  /** The server has the older transport: HTTP with SSE. */
  fellBack?(): void;
}

export interface LinkOptions {
  readonly budget?: ByteBudget | undefined;
  readonly observer?: LinkObserver | undefined;
}

/** Error code of the responses that a link creates when no response can come. Servers use other codes. */
export const NO_RESPONSE = 0;

interface Message {
  readonly [key: string]: unknown;
}

/**
 * Tracks the requests in flight, so that each gets an error when no response can come. All messages of a server pass
 * here: the client behind it, which is made for tests, gets only messages that have the form of JSON-RPC.
 */
export class PendingRequests {
  /** The methods of the requests, by id. */
  readonly #methods = new Map<unknown, string>();
  readonly #server: string;
  readonly #receive: (text: string) => void;
  #end: string | undefined;

  /** @param server - the name of the server in messages. */
  constructor(server: string, receive: (text: string) => void) {
    this.#server = server;
    this.#receive = receive;
  }

  get isEmpty(): boolean {
    return this.#methods.size === 0;
  }

  /** Whether a request has no response yet. */
  has(id: unknown): boolean {
    return this.#methods.has(id);
  }

  /** Registers an outgoing message; returns its id if it is a request. */
  sent(message: { readonly id?: unknown; readonly method?: unknown }): string | number | undefined {
    const { id, method } = message;
    if (typeof method !== "string" || (typeof id !== "string" && typeof id !== "number")) return undefined;
    this.#methods.set(id, method);
    const end = this.#end;
    if (end !== undefined) queueMicrotask(() => this.fail(id, end));
    return id;
  }

  /** Passes a message of the server, or a batch, to the client. Text that is not JSON-RPC is dropped. */
  received(text: string): void {
    const problem = findOversize(text);
    if (problem !== undefined) {
      this.failAll(`${this.#server} sent a message that ${problem}.`);
      return;
    }
    const value = parse(text);
    if (isObject(value)) this.#accept(value, text);
    else if (Array.isArray(value)) {
      for (const each of value) if (isObject(each)) this.#accept(each, JSON.stringify(each));
    }
  }

  /** Responds to a request with an error, unless it was answered before. */
  fail(id: unknown, message: string): void {
    if (!this.#methods.delete(id)) return;
    this.#receive(JSON.stringify({ jsonrpc: "2.0", id, error: { code: NO_RESPONSE, message } }));
  }

  /** Fails the requests in flight and all later ones. */
  failAll(message: string): void {
    this.#end ??= message;
    for (const id of [...this.#methods.keys()]) this.fail(id, message);
  }

  #accept(message: Message, text: string): void {
    if (typeof message.method === "string") {
      if (isUsable(message)) this.#receive(text);
      return;
    }
    const { id } = message;
    const method = this.#methods.get(id);
    if (method === undefined) return;
    const problem = findProblem(message);
    if (problem !== undefined) {
      this.fail(id, explainMalformed(this.#server, method, problem));
      return;
    }
    this.#methods.delete(id);
    this.#receive(text);
  }
}

/** Whether a request or a notification has the form of JSON-RPC. */
function isUsable({ id, params = {} }: Message): boolean {
  return isObject(params) && ["undefined", "string", "number"].includes(typeof id);
}

/** Returns the problem with a response. */
function findProblem({ result, error }: Message): string | undefined {
  if (error === undefined)
    return isObject(result) ? undefined : `result must be an object, not ${describeValue(result)}`;
  if (!isObject(error)) return `error must be an object, not ${describeValue(error)}`;
  if (!Number.isSafeInteger(error.code) || error.code === NO_RESPONSE) {
    return `error.code must be an integer other than 0, not ${describeValue(error.code)}`;
  }
  if (typeof error.message === "string") return undefined;
  return `error.message must be a string, not ${describeValue(error.message)}`;
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
