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

/** The size of the largest recording that can be opened again. */
export const MAX_RECORDING_BYTES = 256 * 1024 * 1024;

type Header = Omit<RecordingHeader, "proffer" | "version" | "written">;

export function createHeader(header: Header): RecordingHeader {
  return { proffer: "recording", version: 1, written: new Date().toISOString(), ...header };
}

/** Writes a recording as JSON Lines: the header, then a line for each message. */
export function writeRecording(header: Header, messages: Iterable<WireMessage>): string {
  return [createHeader(header), ...messages].map((line) => `${JSON.stringify(line)}\n`).join("");
}
