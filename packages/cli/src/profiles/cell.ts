import type { Cell } from "./profile.ts";

// One row per client. Each cell says where the fact is stated, and on which day that was read. A cell that nobody has
// found out about is missing; "read" in a source means that the code was read, and that a cut does the same.

const NOTES = "2026-11-16";
export const SOURCES = "2026-11-17";
export const FOLDERS = "2026-11-19";
/** Clients were run against a server, and their messages were read. */
export const TRIED = "2026-11-18";

export const CODEX = "openai/codex 343074d, read";
export const GEMINI = "google-gemini/gemini-cli 5411f11, read";
export const ZED = "zed-industries/zed 7eec892, read";
export const GOOSE = "block/goose e94f304, read";
export const OPENAI =
  "inboxapi/cli #106, osaurus #2847, vercel/ai PR #5670, langchainjs #9804, apify-mcp-server #36, ogx PR #3602";
export const DOCUMENTED = "documentation of the vendor, page not recorded";
export const RUN = "run against a server of Proffer";
/** Known from use, or from a list of clients; a source is still to be found. */
export const UNRECORDED = "no source recorded";

export function cell<const Value>(value: Value, text: string, source: string, checked = NOTES): Cell<Value> {
  return { value, text, source, checked, known: source.includes("read") ? "read" : "reported" };
}
