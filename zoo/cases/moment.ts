import moment, { type Duration, type Moment, type MomentInputObject } from "moment";
import { accepts, gives, refused, refuses } from "../expect.ts";

/** Adds days. */
export function add(day: string, days: number): Moment {
  return moment.utc(day).add(days, "days");
}
gives(add, ["2026-01-31", 1], "2026-02-01T00:00:00.000Z");

/** Lists appointments. */
export async function appointments(day: string): Promise<{ at: Moment; lasts: Duration; until?: Moment | null }[]> {
  const at = moment.utc(day);
  return [
    { at, lasts: moment.duration(90, "minutes") },
    { at, lasts: moment.duration(0), until: null },
  ];
}
gives(
  appointments,
  ["2026-01-31"],
  [
    { at: "2026-01-31T00:00:00.000Z", lasts: "PT1H30M" },
    { at: "2026-01-31T00:00:00.000Z", lasts: "P0D", until: null },
  ],
);

/** Creates a time. */
export function create(parts: MomentInputObject): string {
  return moment.utc(parts).toISOString();
}
accepts(create, [{ year: 2026, month: 0 }], [{}]);
gives(create, [{ year: 2026, month: 0, day: 5 }], "2026-01-05T00:00:00.000Z");
refuses(create, [{ year: true }], [{ yaer: 5 }]);

/** Moves an appointment. */
export function move(to: Moment): string {
  return to.toISOString();
}
refused(move, "PF1105");
