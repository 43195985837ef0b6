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

type WithId<T> = { [Key in Exclude<keyof T, "_id">]: T[Key] } & { _id: string };
interface RootOperators<T> {
  $and?: Filter<T>[];
  $not?: Filter<T>;
}
/** A filter that contains itself with larger type arguments, as in mongodb. */
export type Filter<T> = { [Key in keyof WithId<T>]?: WithId<T>[Key] } & RootOperators<WithId<T>>;

/** Options of which one deep inside is a function. */
export interface PoolOptions {
  size: number;
  connection: { retry: { check: () => boolean; times: number } };
}

// biome-ignore lint/complexity/noBannedTypes: moment declares it so
export interface Moment extends Object {
  format(): string;
}

/** The date of mongoose's models. */
export declare class NativeDate extends globalThis.Date {}

export interface Issue {
  path: PropertyKey[];
}

/** The options of a chart, of which two are of the DOM. */
export interface ChartOptions {
  title: string;
  canvas?: HTMLCanvasElement;
  layers?: CanvasRenderingContext2D[];
}
