import type { IRawProperty } from "fast-check";

/** Something to fuzz. The test suite runs it briefly; `npm run fuzz` runs it for minutes. */
export interface Target {
  readonly name: string;
  /** The number of random cases in the test suite. */
  readonly runs: number;
  /** Prepares the target: starts servers and creates folders. */
  open(): OpenTarget | Promise<OpenTarget>;
}

export interface OpenTarget {
  /** Generates cases and checks them. The arguments are JSON, so that a failing case can be kept in `seeds/`. */
  // biome-ignore lint/suspicious/noExplicitAny: each target has its own arguments
  readonly property: IRawProperty<any>;
  close?(): void | Promise<void>;
}
