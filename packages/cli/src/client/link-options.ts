import type { Headers } from "./headers.ts";
import type { ByteBudget } from "./limits.ts";

/** The head of an HTTP message, as it was sent or received. */
export interface SeenHead {
  readonly method?: string;
  readonly status?: number;
  readonly requestHeaders?: Headers;
  readonly responseHeaders?: Headers;
  readonly eventId?: string;
}

/** Sees what a link sends and receives, exactly and before it is checked. */
export interface LinkObserver {
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
