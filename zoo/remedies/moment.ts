import moment, { type Moment } from "moment";
import { defineCodec } from "proffer";
import { gives } from "../expect.ts";

export const time = defineCodec<Moment, string>({
  schema: { format: "date-time" },
  decode: (text) => moment.utc(text),
  encode: (value) => value.toISOString(),
});

/** Moves an appointment. */
export function move(to: Moment): string {
  return to.toISOString();
}
gives(move, [moment.utc(0)], "1970-01-01T00:00:00.000Z");
