import { REVISIONS } from "../src/protocol/revisions/table.ts";

/** The revisions, oldest first. */
export const EVERY = ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25", "2026-07-28"] as const;

/** The revisions with a handshake. */
export const LEGACY = EVERY.filter((version) => REVISIONS.get(version)?.handshake);

/** The revisions in which each request has its own version. */
export const MODERN = EVERY.filter((version) => !REVISIONS.get(version)?.handshake);
