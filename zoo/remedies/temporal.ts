import { Temporal } from "@js-temporal/polyfill";
import { defineCodec } from "proffer";
import { gives } from "../expect.ts";

/** A day. @format date */
export const plainDate = defineCodec<Temporal.PlainDate, string>({
  decode: (text) => Temporal.PlainDate.from(text),
  encode: (value) => value.toString(),
});

/** Books a day. */
export function book(day: Temporal.PlainDate): string {
  return day.toString();
}
gives(book, [Temporal.PlainDate.from("2026-01-05")], "2026-01-05");
