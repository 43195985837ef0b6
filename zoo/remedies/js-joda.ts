import { LocalDate } from "@js-joda/core";
import { defineCodec } from "proffer";
import { gives } from "../expect.ts";

/** A day. @format date */
export const day = defineCodec<LocalDate, string>({
  decode: (text) => LocalDate.parse(text),
  encode: (value) => value.toString(),
});

/** Books a day. */
export function book(day: LocalDate): string {
  return day.toString();
}
gives(book, [LocalDate.of(2026, 1, 5)], "2026-01-05");
