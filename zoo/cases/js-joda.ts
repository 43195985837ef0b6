import { LocalDate as Day, Duration, type LocalDate, LocalTime, type Period, ZonedDateTime } from "@js-joda/core";
import { gives, refused } from "../expect.ts";

/** Adds months. */
export function add(day: string, months: number): LocalDate {
  return Day.parse(day).plusMonths(months);
}
gives(add, ["2026-01-31", 1], "2026-02-28");

/** Compares days. */
export function between(
  from: string,
  to: string,
): { period: Period; days: LocalDate[]; at: LocalTime; lasts: Duration } {
  const [start, end] = [Day.parse(from), Day.parse(to)];
  return { period: start.until(end), days: [start, end], at: LocalTime.of(8, 30), lasts: Duration.ofMinutes(90) };
}
gives(between, ["2026-01-01", "2026-02-03"], {
  period: "P1M2D",
  days: ["2026-01-01", "2026-02-03"],
  at: "08:30",
  lasts: "PT1H30M",
});

/** Shows a time. */
export async function at(text: string): Promise<ZonedDateTime | undefined> {
  return ZonedDateTime.parse(text);
}
gives(at, ["2026-01-01T10:00:00Z"], "2026-01-01T10:00Z");

/** Books a day. */
export function book(day: LocalDate): string {
  return day.toString();
}
refused(book, "PF1105");
