import {
  type CountryCode,
  findPhoneNumbersInText,
  type NumberType,
  type PhoneNumber,
  parsePhoneNumberWithError,
} from "libphonenumber-js/max";
import { gives, refused, refuses } from "../expect.ts";

/** Parses a number. */
export function parse(
  text: string,
  country: CountryCode,
): Pick<PhoneNumber, "country" | "number" | "nationalNumber"> & { type: NumberType } {
  const found = parsePhoneNumberWithError(text, country);
  const { number, nationalNumber } = found;
  return { country: found.country, number, nationalNumber, type: found.getType() };
}
gives(parse, ["044 668 18 00", "CH"], {
  country: "CH",
  number: "+41446681800",
  nationalNumber: "446681800",
  type: "FIXED_LINE",
});
refuses(parse, ["044", "XX"]);

/** Finds numbers. */
export function find(text: string): ReturnType<typeof findPhoneNumbersInText> {
  return findPhoneNumbersInText(text, "CH");
}
refused(find, "PF1105", "PF1102");
