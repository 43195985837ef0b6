import { isObject, type Members, parseJson } from "../terminal/json.ts";
import type { Headers } from "./headers.ts";
import { type ByteBudget, findOversize } from "./limits.ts";
import { describeValue, explainMalformed } from "./shape.ts";

/** The head of an HTTP message, as it was sent or received. */
export interface SeenHead {
  readonly method?: string;
  readonly status?: number;
  readonly requestHeaders?: Headers;
  readonly responseHeaders?: Headers;
  readonly eventId?: string;
}

/** Sees the texts that a link sends and receives, exactly and before they are checked. */
interface LinkObserver {
  sent?(text: string, head?: SeenHead): void;
  received?(text: string, head?: SeenHead): void;
  /** The stderr of a command. Default: it is passed on to the terminal, escaped. */
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

/**
 * Tracks the requests in flight, so that each gets an error when no response can come. All messages of a server pass
 * here: the client behind it, which is made for tests, gets only messages that have the form of JSON-RPC.
 * @param server - the name of the server in messages.
 */
export function trackRequests(server: string, receive: (text: string) => void) {
  /** The methods of the requests, by id. */
  const methods = new Map<unknown, string>();
  let end: string | undefined;

  /** Responds to a request with an error, unless it was answered before. */
  function fail(id: unknown, message: string): void {
    if (!methods.delete(id)) return;
    receive(JSON.stringify({ jsonrpc: "2.0", id, error: { code: NO_RESPONSE, message } }));
  }

  /** Fails the requests in flight and all later ones. */
  function failAll(message: string): void {
    end ??= message;
    for (const id of [...methods.keys()]) fail(id, message);
  }

  function accept(message: Members, text: string): void {
    const { id, params = {} } = message;
    if (typeof message.method === "string") {
      const hasForm = isObject(params) && ["undefined", "string", "number"].includes(typeof id);
      if (hasForm) receive(text);
      return;
    }
    const method = methods.get(id);
    if (method === undefined) return;
    const problem = findProblem(message);
    if (problem !== undefined) {
      fail(id, explainMalformed(server, method, problem));
      return;
    }
    methods.delete(id);
    receive(text);
  }

  return {
    fail,
    failAll,
    isEmpty: () => methods.size === 0,
    /** Whether a request has no response yet. */
    has: (id: unknown) => methods.has(id),
    /** Registers an outgoing message; returns its id if it is a request. */
    sent(message: { readonly id?: unknown; readonly method?: unknown }): string | number | undefined {
      const { id, method } = message;
      if (typeof method !== "string" || (typeof id !== "string" && typeof id !== "number")) return undefined;
      methods.set(id, method);
      const reason = end;
      if (reason !== undefined) queueMicrotask(() => fail(id, reason));
      return id;
    },
    /** Passes a message of the server, or a batch, to the client. Text that is not JSON-RPC is dropped. */
    received(text: string): void {
      const problem = findOversize(text);
      if (problem !== undefined) {
        failAll(`${server} sent a message that ${problem}.`);
        return;
      }
      const value = parseJson(text);
      if (isObject(value)) accept(value, text);
      else if (Array.isArray(value)) {
        for (const each of value) if (isObject(each)) accept(each, JSON.stringify(each));
      }
    },
  };
}

/** Returns the problem with a response. */
function findProblem({ result, error }: Members): string | undefined {
  if (error === undefined)
    return isObject(result) ? undefined : `result must be an object, not ${describeValue(result)}`;
  if (!isObject(error)) return `error must be an object, not ${describeValue(error)}`;
  if (!Number.isSafeInteger(error.code) || error.code === NO_RESPONSE) {
    return `error.code must be an integer other than 0, not ${describeValue(error.code)}`;
  }
  if (typeof error.message === "string") return undefined;
  return `error.message must be a string, not ${describeValue(error.message)}`;
}

/** The ends of a line: of an event stream, HTML standard, section 9.2.6, and of messages over stdio. */
const ENDS = { event: /\r\n|\n|\r/, message: "\n" } as const;

/**
 * Decodes a stream and yields its lines, without their ends. A line that the end of the stream cuts off is dropped. Only
 * text that has just arrived is searched for line ends, so a long line takes linear time.
 */
export async function* readLines(chunks: AsyncIterable<Uint8Array>, kind: keyof typeof ENDS): AsyncGenerator<string> {
  const decoder = new TextDecoder();
  let rest = "";
  let endsInReturn = false;
  for await (const chunk of chunks) {
    let text = decoder.decode(chunk, { stream: true });
    if (text === "") continue;
    // A CR ends its line at once, even if the chunk ends between CR and LF.
    if (kind === "event" && endsInReturn && text.startsWith("\n")) text = text.slice(1);
    endsInReturn = text.endsWith("\r");
    const lines = text.split(ENDS[kind]);
    lines[0] = rest + lines[0];
    rest = lines.pop() ?? "";
    yield* lines;
  }
}
