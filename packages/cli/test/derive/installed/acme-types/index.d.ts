/** An amount of money. */
export interface Money {
  amount: number;
  /** The code of the currency.
   * @pattern ^[A-Z]{3}$ */
  currency: string;
  since?: Date;
}

/** A connection to somewhere. */
export declare class Client {
  readonly url: string;
  send(message: string): Promise<void>;
  close(): void;
}

export interface Listener {
  name: string;
  onEvent(event: string): void;
}

/** A row of a query. */
export interface RowData {
  constructor: { name: "RowData" };
  [column: string]: unknown;
}

export interface Labelled {
  label: string;
  toString(): string;
  valueOf: () => number;
}

/** A request, as AWS writes it: what is required may be undefined. */
export interface PutRequest {
  Table: string | undefined;
  Item: { Id: string | undefined } | undefined;
  Note?: string | undefined;
  Abort: AbortSignal | undefined;
}

export type Query = { text: string } | { id: number } | undefined;

/** A vector, as gl-matrix declares it. */
export interface Vector extends Iterable<number> {
  readonly length: number;
  [index: number]: number;
}
