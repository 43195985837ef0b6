import { surround, type Wire } from "../../protocol/messages.ts";

/** A line that says nothing: it keeps proxies from cutting a quiet stream. */
export const COMMENT = ":\n\n";

/**
 * One message as a server-sent event. JSON has no raw line breaks, so that one `data:` line always holds it; ids are
 * ours and have none either. The name is written because clients of the first revision look for it.
 */
export function toEvent(wire: Wire, id?: string): Wire {
  const start = id === undefined ? "event: message\ndata: " : `event: message\nid: ${id}\ndata: `;
  return surround(start, wire, "\n\n");
}

/** The event that lets a client come back before anything was said: an id, no data, and when to come back. */
export function primingEvent(id: string, retry: number): string {
  return `id: ${id}\nretry: ${retry}\ndata: \n\n`;
}
