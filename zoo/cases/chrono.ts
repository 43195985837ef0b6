import { type ParsedResult, parse, parseDate } from "chrono-node";
import { gives, refused } from "../expect.ts";

/** Reads a date. */
export function read(text: string, now: Date): Date | null {
  return parseDate(text, { instant: now, timezone: "UTC" });
}
gives(read, ["tomorrow at 5am", new Date(0)], "1970-01-02T05:00:00.000Z");
gives(read, ["nothing", new Date(0)], null);

/** Finds dates. */
export function find(text: string): ParsedResult[] {
  return parse(text);
}
refused(find, "PF1102", "PF1105");
