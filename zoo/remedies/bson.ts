import { Long, ObjectId } from "bson";
import { defineCodec } from "proffer";
import { gives } from "../expect.ts";

export const objectId = defineCodec<ObjectId, string>({
  decode: (text) => ObjectId.createFromHexString(text),
  encode: (value) => value.toHexString(),
});
export const long = defineCodec<Long, string>({
  decode: (text) => Long.fromString(text),
  encode: (value) => value.toString(),
});

/** Removes an article. */
export function remove(id: ObjectId): string {
  return id.toHexString();
}
gives(remove, [new ObjectId("65a000000000000000000000")], "65a000000000000000000000");

/** Counts. */
export function count(of: string): Long {
  return Long.fromNumber(of.length);
}
gives(count, ["abc"], "3");
