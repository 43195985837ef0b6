/** One event of a stream. Its place is counted by the only writer of the stream: 1, 2, 3, … */
export interface StreamEvent {
  readonly place: number;
  /** As it goes on the wire; empty if there is nothing to send. */
  readonly text: string;
  /** The stream ends with it. */
  readonly final: boolean;
}

/** The place of an event that a client received last. */
export interface EventPlace {
  readonly stream: string;
  readonly place: number;
}

/** A stream of a request is named by its node and a number; a standalone stream by how often one was opened. */
const EVENT_ID = /^([\w-]{12}\.\d{1,9}|g\d{1,9})-(\d{1,9})$/;
const STANDALONE = /^g(\d+)$/;

export function toEventId(stream: string, place: number): string {
  return `${stream}-${place}`;
}

/** Parses a `Last-Event-ID`; undefined for any other text. */
export function parseEventId(text: string): EventPlace | undefined {
  const parts = EVENT_ID.exec(text);
  return parts === null ? undefined : { stream: parts[1] as string, place: Number(parts[2]) };
}

/** How often a standalone stream was opened before this one; undefined for the stream of a request. */
export function openingOf(stream: string): number | undefined {
  const parts = STANDALONE.exec(stream);
  return parts === null ? undefined : Number(parts[1]);
}

/** The node that writes the stream of a request. */
export function writerOf(stream: string): string {
  return stream.slice(0, stream.indexOf("."));
}

/** The message in an event of a standalone stream. */
export function messageOf({ text }: StreamEvent): string {
  return text.slice(text.indexOf("\ndata: ") + 7, -2);
}
