/** The code under which a link, not a server, says why no answer will come; servers have other ones. */
export const NO_ANSWER = 0;

/** The requests that are on their way, so that each can be told when no answer will come. */
export class Unanswered {
  readonly #ids = new Set<string | number>();
  readonly #receive: (text: string) => void;

  constructor(receive: (text: string) => void) {
    this.#receive = receive;
  }

  /** Notes a message that is sent; gives the id if it is a request. */
  sent(message: { readonly id?: unknown; readonly method?: unknown }): string | number | undefined {
    const { id, method } = message;
    if (typeof method !== "string" || (typeof id !== "string" && typeof id !== "number")) return undefined;
    this.#ids.add(id);
    return id;
  }

  /** Hands on a message from the server. What is not JSON-RPC is left out. */
  received(text: string): void {
    const message = parse(text);
    if (message === undefined) return;
    if (!("method" in message)) this.#ids.delete(message.id as string | number);
    this.#receive(text);
  }

  /** Answers one request in place of the server. */
  fail(id: string | number, message: string): void {
    if (!this.#ids.delete(id)) return;
    this.#receive(JSON.stringify({ jsonrpc: "2.0", id, error: { code: NO_ANSWER, message } }));
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
