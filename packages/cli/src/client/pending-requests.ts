/** Error code of the responses that a link creates when no response can come. Servers use other codes. */
export const NO_RESPONSE = 0;

/** Tracks the requests in flight, so that each gets an error when no response can come. */
export class PendingRequests {
  readonly #ids = new Set<string | number>();
  readonly #receive: (text: string) => void;

  constructor(receive: (text: string) => void) {
    this.#receive = receive;
  }

  /** Registers an outgoing message; returns its id if it is a request. */
  sent(message: { readonly id?: unknown; readonly method?: unknown }): string | number | undefined {
    const { id, method } = message;
    if (typeof method !== "string" || (typeof id !== "string" && typeof id !== "number")) return undefined;
    this.#ids.add(id);
    return id;
  }

  /** Passes a message of the server to the client. Text that is not JSON-RPC is dropped. */
  received(text: string): void {
    const message = parse(text);
    if (message === undefined) return;
    if (!("method" in message)) this.#ids.delete(message.id as string | number);
    this.#receive(text);
  }

  /** Responds to a request with an error, unless it was answered before. */
  fail(id: string | number, message: string): void {
    if (!this.#ids.delete(id)) return;
    this.#receive(JSON.stringify({ jsonrpc: "2.0", id, error: { code: NO_RESPONSE, message } }));
  }

  failAll(message: string): void {
    for (const id of [...this.#ids]) this.fail(id, message);
  }
}

function parse(text: string): { readonly [key: string]: unknown } | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null ? (value as { [key: string]: unknown }) : undefined;
  } catch {
    return undefined;
  }
}
