import {
  addDays,
  type Day,
  type Duration,
  formatDuration,
  formatISODuration,
  hoursToMinutes,
  type Interval,
  milliseconds,
  type RoundingOptions,
} from "date-fns";
import { accepts, hides, refuses, returns, says } from "../expect.ts";

export { milliseconds };

accepts(milliseconds, [{ years: 1, days: 2 }], [{}]);
refuses(milliseconds, [{ year: 1 }], [{ years: "1" }]);
returns(milliseconds, 5);
says(milliseconds, "Returns the number of milliseconds");
hides(milliseconds, "@summary", "@category", "Helpers");

export { formatISODuration };

accepts(formatISODuration, [{ months: 9 }]);
returns(formatISODuration, "P9M");
says(formatISODuration, "ISO 8601");

export { hoursToMinutes };

accepts(hoursToMinutes, [2]);
refuses(hoursToMinutes, ["2"]);
returns(hoursToMinutes, 120);
says(hoursToMinutes, "Convert hours to minutes.");

export { addDays };

accepts(addDays, ["2026-01-01", 5], [0, 5]);
refuses(addDays, [true, 5], ["2026-01-01", "5"]);
warns(addDays, "PF2007");

export { formatDuration };

accepts(formatDuration, [{ days: 5 }], [{ days: 5 }, { format: ["days"], zero: true }]);
refuses(formatDuration, [5], [{ days: "5" }]);

/**
 * Adds time to a date.
 * @param date - The date. @defaultValue new Date()
 * @param duration - The time to add.
 */
export function later(duration: Duration, date = new Date()): Date {
  throw new Error(String(date) + duration.days);
}
accepts(later, [{ days: 5 }], [{ days: 5 }, new Date(0)]);
refuses(later, [{ days: 5 }, 0], [{}, {}]);
returns(later, new Date(0));
says(later, "The time to add.");

/** Lists the weekdays of an interval. */
export function weekdays(interval: Interval<Date, Date>, options?: RoundingOptions): Day[] {
  throw new Error(String(interval.start) + options?.roundingMethod);
}
accepts(weekdays, [{ start: new Date(0), end: new Date(1) }]);
refuses(weekdays, [{ start: new Date(0) }], [{ start: new Date(0), end: 5 }]);
returns(weekdays, [1]);

/** Lists the weekdays between two dates. */
export function between(from: Date, to: Date, options?: RoundingOptions): Day[] {
  throw new Error(String(from) + to + options?.roundingMethod);
}
accepts(between, [new Date(0), new Date(1)], [new Date(0), new Date(1), { roundingMethod: "ceil" }]);
refuses(between, [new Date(0)], [new Date(0), new Date(1), { roundingMethod: "up" }]);
returns(between, [0, 6]);
