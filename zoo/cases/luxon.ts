import { DateTime, type DateTimeUnit, Duration, type DurationLikeObject, type Interval, type Zone } from "luxon";
import { accepts, gives, refused, refuses, returns } from "../expect.ts";

/** Shows the time in a zone. */
export function now(zone: string): DateTime {
  return DateTime.now().setZone(zone);
}
accepts(now, ["Europe/Zurich"]);
returns(now, DateTime.fromISO("2026-01-01T00:00:00.000Z", { zone: "utc" }));

/** Lists appointments. */
export async function appointments(unit: DateTimeUnit): Promise<{ at: DateTime; lasts: Duration; title: string }[]> {
  throw new Error(unit);
}
accepts(appointments, ["day"]);
refuses(appointments, ["days"]);
returns(appointments, [
  { at: DateTime.fromMillis(0, { zone: "utc" }), lasts: Duration.fromObject({ hours: 1 }), title: "A" },
]);

/** Adds time. */
export function add(duration: DurationLikeObject, to: Date): Date {
  throw new Error(String(duration.days) + to);
}
accepts(add, [{ days: 1, hour: 2 }, new Date(0)]);
refuses(add, [{ days: "1" }, new Date(0)], [{ dais: 1 }, new Date(0)]);
returns(add, new Date(0));

/** Moves an appointment. */
export function move(to: DateTime): void {
  throw new Error(to.toISO() ?? "");
}
refused(move, "PF1105");

/** Shows a zone. */
export function zone(name: string): Zone {
  throw new Error(name);
}
refused(zone, "PF1105");

/** Shows when the shop is open. */
export function open(day: string): Interval {
  throw new Error(day);
}
refused(open, "PF1105");

/** Plans a trip. */
export async function plan(
  from: string,
  hours: number,
): Promise<{ from: DateTime; until: DateTime; lasts: Duration; days: Record<string, DateTime> }> {
  const start = DateTime.fromISO(from, { zone: "utc" });
  const until = start.plus({ hours });
  return { from: start, until, lasts: until.diff(start, "hours"), days: { first: start.startOf("day") } };
}
gives(plan, ["2026-01-01T12:00:00Z", 2], {
  from: "2026-01-01T12:00:00.000Z",
  until: "2026-01-01T14:00:00.000Z",
  lasts: "PT2H",
  days: { first: "2026-01-01T00:00:00.000Z" },
});
