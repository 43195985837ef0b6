import type { ServerInfo, Target } from "../protocol/offer.ts";
import type { Lane, WireMessage } from "../protocol/wire.ts";

/** The first line of a recording. */
export interface RecordingHeader {
  readonly proffer: "recording";
  readonly version: 1;
  /** When it was written, as in RFC 3339. */
  readonly written: string;
  readonly target: Target;
  readonly server?: ServerInfo;
  readonly revisions: readonly string[];
  readonly lanes: readonly Lane[];
}

/** A recording that was read from a file. */
export interface Recording {
  readonly header: RecordingHeader;
  readonly messages: readonly WireMessage[];
  /** Lines that are not messages, and what was left out. */
  readonly problems: readonly string[];
}

/** Writes a recording as JSON Lines: the header, then a line for each message. */
export function writeRecording(
  header: Omit<RecordingHeader, "proffer" | "version" | "written">,
  messages: Iterable<WireMessage>,
): string {
  const first: RecordingHeader = { proffer: "recording", version: 1, written: new Date().toISOString(), ...header };
  return [first, ...messages].map((line) => `${JSON.stringify(line)}\n`).join("");
}
