import type { Wire } from "../protocol/messages.ts";

/** An HTTP request and its response. A wiretap may replace the methods by ones that also tell it what they do. */
export interface TappedExchange {
  readonly method: string;
  readonly path: string;
  readonly query: string;
  /** The run-time's own request. */
  readonly raw: unknown;
  readonly extraHeaders: readonly string[] | undefined;
  header(name: string): string | undefined;
  read(receiver: TappedReceiver): void;
  send(status: number, headers: readonly string[], body?: Wire): void;
  open(headers: readonly string[]): void;
  write(wire: Wire): boolean;
  end(): void;
}

/** Receives the body of a request. */
export interface TappedReceiver {
  readonly maxMessageBytes: number;
  // biome-ignore lint/suspicious/noExplicitAny: it passes on what the exchange gives it.
  received(exchange: any, text: string): void;
}

/** Is told of the messages of one connection. */
export interface MessageTap {
  received(text: string): void;
  sent(wire: Wire): void;
  closed(): void;
}

/** Observes the messages of clients as they are on the wire, for the inspector of `proffer dev`. */
export interface Wiretap {
  /** Called with each HTTP request, before anything of it is read. */
  exchange(exchange: TappedExchange): void;
  /** Called when the connection over stdio begins. */
  stdio(): MessageTap;
}
