/** Who is calling, as the transport's `authenticate` said. */
export interface Principal {
  /** What tells this caller from every other: sessions, cursors and states are bound to it. */
  readonly id: string;
  /** What the caller may do. Items with other scopes are refused. */
  readonly scopes?: readonly string[];
  /** When the permission ends, in milliseconds since 1970: streams of the caller end then. Default: never. */
  readonly expires?: number;
  readonly [detail: string]: unknown;
}
