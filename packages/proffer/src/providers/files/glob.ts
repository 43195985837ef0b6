import { UsageError } from "../../support/usage-error.ts";

/** Tests a relative path with "/" as separator. */
export type PathTest = (path: string) => boolean;

/**
 * Compiles globs to a test: `*` and `?` match within a segment, `**` matches any number of segments. A glob without a
 * slash matches the last segment in any directory. Matching never backtracks past the last star, so that a hostile name
 * cannot make it slow.
 */
export function toPathTest(globs: readonly string[]): PathTest {
  const patterns = globs.map(toSegments);
  return (path) => {
    const segments = path.split("/");
    return patterns.some((pattern) => matchSegments(pattern, segments));
  };
}

function toSegments(glob: string): readonly string[] {
  if (typeof glob !== "string" || glob === "" || glob.startsWith("/") || glob.includes("\\")) {
    throw new UsageError(
      "bad_option",
      `Invalid glob ${JSON.stringify(glob)}: expected a relative path such as "**/*.md".`,
    );
  }
  if (/[[\]{}!()]/.test(glob)) {
    throw new UsageError(
      "bad_option",
      `Invalid glob ${JSON.stringify(glob)}: only *, ** and ? are supported. Instead of {a,b}, write two globs.`,
    );
  }
  const segments = glob.split("/");
  return segments.length === 1 ? ["**", ...segments] : segments;
}

function matchSegments(pattern: readonly string[], segments: readonly string[]): boolean {
  return matchList(pattern.length, segments.length, {
    isStar: (at) => pattern[at] === "**",
    matches: (at, to) => matchText(pattern[at] ?? "", segments[to] ?? ""),
  });
}

function matchText(pattern: string, text: string): boolean {
  return matchList(pattern.length, text.length, {
    isStar: (at) => pattern[at] === "*",
    matches: (at, to) => pattern[at] === "?" || pattern[at] === text[to],
  });
}

interface Items {
  isStar(at: number): boolean;
  matches(at: number, to: number): boolean;
}

/** Matches a sequence with stars that match any number of items: after a mismatch, only the last star is extended. */
function matchList(patternLength: number, length: number, items: Items): boolean {
  let at = 0;
  let to = 0;
  let star = -1;
  let taken = 0;
  while (to < length) {
    if (at < patternLength && items.isStar(at)) {
      star = at++;
      taken = to;
    } else if (at < patternLength && items.matches(at, to)) {
      at++;
      to++;
    } else if (star !== -1) {
      at = star + 1;
      to = ++taken;
    } else {
      return false;
    }
  }
  while (at < patternLength && items.isStar(at)) at++;
  return at === patternLength;
}
