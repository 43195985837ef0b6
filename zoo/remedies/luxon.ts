import { DateTime, IANAZone, type Interval, Interval as Span, type Zone } from "luxon";
import { defineCodec } from "proffer";
import { gives } from "../expect.ts";

export const dateTime = defineCodec<DateTime, string>({
  decode: (text) => DateTime.fromISO(text, { zone: "utc" }),
  encode: (value) => value.toISO() ?? "",
});
export const zoneCodec = defineCodec<Zone, string>({
  decode: (text) => IANAZone.create(text),
  encode: (value) => value.name,
});
export const interval = defineCodec<Interval, string>({
  decode: (text) => Span.fromISO(text),
  encode: (value) => value.toISODate(),
});

/** Moves an appointment. */
export function move(to: DateTime): string {
  return to.toISO() ?? "";
}
gives(move, [DateTime.fromMillis(0, { zone: "utc" })], "1970-01-01T00:00:00.000Z");

/** Shows a zone. */
export function zone(name: string): Zone {
  return IANAZone.create(name);
}
gives(zone, ["Europe/Zurich"], "Europe/Zurich");

/** Shows when the shop is open. */
export function open(day: string): Interval {
  return Span.fromISO(`${day}/P1D`);
}
gives(open, ["2026-01-05"], "2026-01-05/2026-01-06");
