import { coerce, inc, parse, type ReleaseType, type SemVer, satisfies } from "semver";
import { gives, refused, refuses } from "../expect.ts";

/** Raises a version. */
export function raise(version: string, by: ReleaseType): string | null {
  return inc(version, by);
}
gives(raise, ["1.2.3", "minor"], "1.3.0");
gives(raise, ["x", "minor"], null);
refuses(raise, ["1.2.3", "huge"]);

/** Reads a version. */
export function read(text: string): Pick<SemVer, "major" | "minor" | "prerelease"> | null {
  const found = parse(text);
  return found && { major: found.major, minor: found.minor, prerelease: found.prerelease };
}
gives(read, ["1.2.3-beta.4"], { major: 1, minor: 2, prerelease: ["beta", 4] });

/** Filters versions. */
export function filter(range: string, versions: Set<string>): Set<string> {
  return new Set([...versions].filter((version) => satisfies(version, range)));
}
gives(filter, ["^1.0.0", new Set(["1.2.0", "2.0.0"])], ["1.2.0"]);

/** Finds a version. */
export function find(text: string): SemVer | null {
  return coerce(text);
}
refused(find, "PF1105");
