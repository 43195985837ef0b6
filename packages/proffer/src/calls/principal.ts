/** Who is calling, as the transport's `authenticate` hook said. */
export interface Principal {
  /** What tells this caller from every other: sessions, cursors and states are bound to it. */
  readonly id: string;
  readonly [detail: string]: unknown;
}
