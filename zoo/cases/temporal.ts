import { Temporal } from "@js-temporal/polyfill";
import { gives, refused } from "../expect.ts";

/** Shows the working days of a week. */
export function week(monday: string): Temporal.PlainDate[] {
  const first = Temporal.PlainDate.from(monday);
  return [0, 1, 2, 3, 4].map((days) => first.add({ days }));
}
gives(week, ["2026-01-05"], ["2026-01-05", "2026-01-06", "2026-01-07", "2026-01-08", "2026-01-09"]);

/** Shows a flight. */
export async function flight(
  leaves: string,
  hours: number,
): Promise<{ leaves: Temporal.ZonedDateTime; lasts: Temporal.Duration; lands: Temporal.Instant }> {
  const start = Temporal.ZonedDateTime.from(leaves);
  const lasts = Temporal.Duration.from({ hours });
  return { leaves: start, lasts, lands: start.add(lasts).toInstant() };
}
gives(flight, ["2026-01-05T10:00[Europe/Zurich]", 2], {
  leaves: "2026-01-05T10:00:00+01:00[Europe/Zurich]",
  lasts: "PT2H",
  lands: "2026-01-05T11:00:00Z",
});

/** Books a day. */
export function book(day: Temporal.PlainDate): string {
  return day.toString();
}
refused(book, "PF1105");
