import { REV_2024_11_05 } from "./2024-11-05.ts";
import { REV_2025_03_26 } from "./2025-03-26.ts";
import { REV_2025_06_18 } from "./2025-06-18.ts";
import { REV_2025_11_25 } from "./2025-11-25.ts";
import { REV_2026_07_28 } from "./2026-07-28.ts";
import type { Revision } from "./revision.ts";

/** The revisions that a server speaks. */
export interface Revisions {
  get(version: string): Revision | undefined;
  /** The newest revision with a handshake: the response to an `initialize` with an unknown version. */
  readonly newestHandshake: Revision;
  /** The revision for clients that never sent a version. */
  readonly assumed: Revision;
  /** The versions that a self-describing request may name. */
  readonly stateless: readonly string[];
  /** All versions, newest first. */
  readonly versions: readonly string[];
}

/** All revisions, oldest first. */
const TABLE: readonly Revision[] = [REV_2024_11_05, REV_2025_03_26, REV_2025_06_18, REV_2025_11_25, REV_2026_07_28];

export function createRevisions(table: readonly Revision[]): Revisions {
  const byVersion = new Map(table.map((revision) => [revision.version, revision]));
  return {
    get: (version) => byVersion.get(version),
    newestHandshake: table.findLast((revision) => revision.handshake) ?? REV_2025_11_25,
    // The specification prescribes 2025-03-26 for an HTTP request without a version; stdio does the same.
    assumed: byVersion.get("2025-03-26") ?? REV_2025_03_26,
    stateless: table.filter((revision) => !revision.handshake).map((revision) => revision.version),
    versions: table.map((revision) => revision.version).reverse(),
  };
}

export const REVISIONS: Revisions = createRevisions(TABLE);
