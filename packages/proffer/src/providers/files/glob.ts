import { UsageError } from "../../support/usage-error.ts";

/** Whether a relative path with "/" between its segments is meant. */
export type PathTest = (path: string) => boolean;

/**
 * Makes a test of globs: `*` and `?` within a segment, `**` for any number of segments. A glob without a slash is about
 * the last segment, wherever it stands. Matching never backtracks further than the last star, so it stays cheap.
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
    throw new UsageError("bad_option", `${JSON.stringify(glob)} is not a glob of relative paths, such as "**/*.md".`);
  }
  if (/[[\]{}!()]/.test(glob)) {
    throw new UsageError(
      "bad_option",
      `The glob ${JSON.stringify(glob)} may have *, ** and ? only; write two for {a,b}.`,
    );
  }
  const segments = glob.split("/");
  return segments.length === 1 ? ["**", ...segments] : segments;
}

function matchSegments(pattern: readonly string[], segments: readonly string[]): boolean {
  return matchList(pattern.length, segments.length, {
    isStar: (at) => pattern[at] === "**",
    fits: (at, to) => matchText(pattern[at] ?? "", segments[to] ?? ""),
  });
}

function matchText(pattern: string, text: string): boolean {
  return matchList(pattern.length, text.length, {
    isStar: (at) => pattern[at] === "*",
    fits: (at, to) => pattern[at] === "?" || pattern[at] === text[to],
  });
}

interface Items {
  isStar(at: number): boolean;
  fits(at: number, to: number): boolean;
}

/** Matches a sequence with stars that stand for any number of items: after a misfit, only the last star can take more. */
function matchList(patternLength: number, length: number, items: Items): boolean {
  let at = 0;
  let to = 0;
  let star = -1;
  let taken = 0;
  while (to < length) {
    if (at < patternLength && items.isStar(at)) {
      star = at++;
      taken = to;
    } else if (at < patternLength && items.fits(at, to)) {
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
