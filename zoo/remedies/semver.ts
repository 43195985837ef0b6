import { defineCodec } from "proffer";
import { coerce, type SemVer, SemVer as Version } from "semver";
import { gives } from "../expect.ts";

export const version = defineCodec<SemVer, string>({
  decode: (text) => new Version(text),
  encode: (value) => value.version,
});

/** Finds a version. */
export function find(text: string): SemVer | null {
  return coerce(text);
}
gives(find, ["v1.2"], "1.2.0");
gives(find, ["x"], null);
