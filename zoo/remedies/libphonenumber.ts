import { findPhoneNumbersInText, type PhoneNumber, parsePhoneNumberWithError } from "libphonenumber-js/max";
import { defineCodec } from "proffer";
import { gives } from "../expect.ts";

export const phone = defineCodec<PhoneNumber, string>({
  decode: (text) => parsePhoneNumberWithError(text),
  encode: (value) => value.number,
});

/** Finds numbers. */
export function find(text: string): ReturnType<typeof findPhoneNumbersInText> {
  return findPhoneNumbersInText(text, "CH");
}
gives(find, ["call 044 668 18 00"], [{ startsAt: 5, endsAt: 18, number: "+41446681800" }]);
