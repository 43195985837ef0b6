/** How near an address is: anywhere, in a private network, or on this machine. */
export type Reach = "public" | "private" | "loopback";

/** Options for a request to an address that the user, an author or another party has named. */
export interface OutgoingOptions {
  readonly method?: "GET" | "POST";
  readonly headers?: { readonly [name: string]: string };
  readonly body?: string;
  /** Milliseconds for the whole response. */
  readonly timeout: number;
  /** The most bytes of its body. Default: 256 KiB. */
  readonly maxBytes?: number;
  /**
   * The reach of the party that has named the address, which may be no nearer: a server on the Internet must not make this
   * process call addresses of its own network. Undefined if the user or the author wrote it: then it may be anywhere.
   */
  readonly within?: Reach | undefined;
  /** The URL of a proxy for `https`, which then resolves names. Default: none, whatever the environment says. */
  readonly proxy?: string | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** A response that arrived completely. */
export interface OutgoingResponse {
  readonly status: number;
  readonly text: string;
  header(name: string): string | undefined;
  /** How near the address was that responded. */
  readonly reach: Reach;
}

/** What a sender returns: the head of a response, and its body on the way. */
export interface Reply extends Omit<OutgoingResponse, "text"> {
  readonly chunks: AsyncIterable<Uint8Array>;
}

/** Bytes of a response. */
export const MAX_RESPONSE: number = 256 * 1024;

/** A response that cannot be used, or none. */
export class FetchError extends Error {
  override readonly name = "FetchError";
  /** The HTTP status; undefined if there was no response. */
  readonly status: number | undefined;

  constructor(message: string, status?: number, options?: ErrorOptions) {
    super(message, options);
    this.status = status;
  }
}
