import type { Json } from "./json.ts";
import type { ItemKind, Place } from "./offer.ts";

export interface Change {
  readonly kind: ItemKind;
  readonly key: string;
  readonly how: "added" | "removed" | "changed";
  /** Differences of the description by JSON pointer. */
  readonly parts: readonly {
    readonly pointer: string;
    readonly before?: Json;
    readonly after?: Json;
    /** Where the part comes from: in the version after the edit. */
    readonly place?: Place;
  }[];
  readonly place?: Place;
}

export interface EditProblem {
  readonly file?: number;
  readonly line?: number;
  readonly column?: number;
  readonly code?: string;
  /** Default: "error". */
  readonly severity?: "error" | "warning";
  readonly message: string;
  readonly remedy?: string;
  /** Some lines around the place, with the number of the first. */
  readonly frame?: { readonly first: number; readonly lines: readonly string[] };
}

export type Edit =
  | {
      readonly how: "applied";
      readonly ms: number;
      readonly changes: readonly Change[];
      readonly problems: readonly EditProblem[];
    }
  | { readonly how: "broken"; readonly problems: readonly EditProblem[]; readonly files: readonly string[] };
