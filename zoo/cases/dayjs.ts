import dayjs, { type Dayjs } from "dayjs";
import { gives, refused } from "../expect.ts";

/** Rounds a time up to the end of its month. */
export function endOfMonth(at: Date): Dayjs {
  return dayjs(at).endOf("month");
}
gives(endOfMonth, [new Date("2026-02-05T12:00:00Z")]);

/** Shows when the shop is open. */
export function open(days: string[]): Map<string, Dayjs> {
  return new Map(days.map((day) => [day, dayjs(`${day}T08:00:00Z`)]));
}
gives(open, [["2026-01-01"]], { "2026-01-01": "2026-01-01T08:00:00.000Z" });

/** Moves an appointment. */
export function move(to: Dayjs): string {
  return to.toISOString();
}
refused(move, "PF1105");
