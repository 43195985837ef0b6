import dayjs, { type Dayjs } from "dayjs";
import { defineCodec } from "proffer";
import { gives } from "../expect.ts";

export const time = defineCodec<Dayjs, string>({
  schema: { format: "date-time" },
  decode: (text) => dayjs(text),
  encode: (value) => value.toISOString(),
});

/** Moves an appointment. */
export function move(to: Dayjs): string {
  return to.toISOString();
}
gives(move, [dayjs(0)], "1970-01-01T00:00:00.000Z");
