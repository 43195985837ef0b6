import { surround, type Wire } from "../../protocol/messages.ts";

/** An empty comment: it keeps proxies from closing an idle stream. */
export const COMMENT = ":\n\n";

/**
 * Formats one message as a server-sent event. JSON contains no raw line breaks, so one `data:` line is enough; our ids
 * contain none either. Clients of the first revision require the event name.
 */
export function toEvent(wire: Wire, id?: string): Wire {
  const start = id === undefined ? "event: message\ndata: " : `event: message\nid: ${id}\ndata: `;
  return surround(start, wire, "\n\n");
}

/** An event without data: its id lets a client resume before the first message; `retry` says when to reconnect. */
export function primingEvent(id: string, retry: number): string {
  return `id: ${id}\nretry: ${retry}\ndata: \n\n`;
}
