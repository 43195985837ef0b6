/** The revisions that start with `initialize`, newest first. */
export const HANDSHAKE_REVISIONS: readonly string[] = ["2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05"];
/** The revisions whose requests describe themselves, newest first. */
export const STATELESS_REVISIONS: readonly string[] = ["2026-07-28"];
/** All revisions, newest first. A test compares them with those of the run-time. */
export const REVISIONS: readonly string[] = [...STATELESS_REVISIONS, ...HANDSHAKE_REVISIONS];
