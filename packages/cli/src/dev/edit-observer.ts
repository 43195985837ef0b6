import type { Server } from "proffer";
import type { Diagnostic, ItemPositions } from "../derive/index.ts";

/** What `dev` did with an edit. */
export type EditEvent = AppliedEdit | BrokenEdit;

export interface AppliedEdit {
  readonly how: "applied";
  readonly before: Server;
  readonly after: Server;
  readonly diagnostics: readonly Diagnostic[];
  /** The files of the derivation. */
  readonly files: readonly string[];
  readonly milliseconds: number;
  /** Finds where the parts of the items come from. */
  positions(): Promise<readonly ItemPositions[]>;
}

/** The version before stays active. */
export interface BrokenEdit {
  readonly how: "broken";
  /** The error that the terminal shows. */
  readonly error: unknown;
  readonly files: readonly string[];
}
