/**
 * A regular expression as a position automaton (Glushkov): one state for each character class in the pattern, and an
 * edge where one may directly follow another. Each edge has the number of ways to take it, since a backtracking engine
 * tries all of them: in `(a*)*` an `a` follows an `a` through the inner and through the outer star.
 */
export interface Automaton {
  /** The characters that each position matches, as bits: one for each ASCII character, more for others. */
  readonly sets: readonly bigint[];
  /** The positions that may come next, each with the number of ways to get there; 2 means two or more. */
  readonly follow: readonly Ways[];
  /** Positions that end a match regardless of the following text. */
  readonly final: ReadonlySet<number>;
  /** The nesting depth of lookarounds that contain loops. */
  readonly lookarounds: number;
  /** The number of parts that are repeated without a bound, or treated as such. */
  readonly loops: number;
  /** An upper bound of the number of paths, not counting loops: alternatives and optional parts multiply. */
  readonly paths: number;
  /**
   * An upper bound of the number of paths that start at one position of the text: those through the body of a loop, and
   * those through the whole pattern if a search tries it at each position.
   */
  readonly width: number;
}

type Ways = Map<number, number>;

/** A part of the pattern: the number of ways to match the empty text, and the first and last positions. */
interface Fragment {
  readonly empty: number;
  readonly first: Ways;
  readonly last: Ways;
  readonly paths: number;
}

const TOKEN =
  /\\(?:[pP]\{[^}]*\}|u\{[^}]*\}|u[dD][89abAB]..\\u[dD][c-fC-F]..|u.{4}|x..|c.|k<[^>]*>|\d+|.)|\[(?:\\.|[^\]\\])*\]|\(\?(?:[:=!]|<[=!]|<[^>]*>|[^)]*)|[*+?]\??|\{\d+,?\d*\}\??|./gsu;
const QUANTIFIER = /^(?:([*+?])|\{(\d+)(,?)(\d*)\})/;
/** Escapes and classes that match only ASCII. */
const ASCII_TOKEN = /^(?:\\[^DWSspP].*|\[(?!\^)(?:[ -[\]-~]|\\[^DWSspPux])*\])$/;
const ASCII = String.fromCharCode(...Array(128).keys());
const BEYOND_ASCII = -1n << 128n;
const EVERY = -1n;
const MAX_POSITIONS = 1_000;
const EMPTY: Fragment = { empty: 1, first: new Map(), last: new Map(), paths: 1 };

/**
 * Builds the automaton of a pattern that is valid with the flag u. A repetition is unrolled up to `maxCopies` copies;
 * one with a larger bound is treated as unbounded.
 * @throws {RangeError} for a pattern that is too large, or that has back references or unknown groups
 */
export function buildAutomaton(source: string, maxCopies: number): Automaton {
  const tokens = source.match(TOKEN) ?? [];
  const sets: bigint[] = [];
  const follow: Ways[] = [];
  const classes = new Map<string, bigint>();
  let at = 0;
  let depth = 0;
  let loops = 0;
  let width = 1;
  let isAnchored = true;
  let canFailAtEnd = false;
  let lookDepth = 0;
  let lookarounds = 0;

  function parseAlternatives(): Fragment {
    let result = parseSequence();
    while (tokens[at] === "|") {
      at++;
      const other = parseSequence();
      result = {
        empty: cap(result.empty + other.empty),
        first: sum(result.first, other.first),
        last: sum(result.last, other.last),
        paths: result.paths + other.paths,
      };
    }
    return result;
  }

  function parseSequence(): Fragment {
    if (depth === 0 && tokens[at] !== "^") isAnchored = false;
    let result = EMPTY;
    while (at < tokens.length && tokens[at] !== "|" && tokens[at] !== ")") result = concat(result, parseTerm());
    return result;
  }

  function parseTerm(): Fragment {
    const start = at;
    const body = parseAtom();
    const [quantifier, sign, low, comma, high] = QUANTIFIER.exec(tokens[at] ?? "") ?? [];
    if (quantifier === undefined) return body;
    const end = ++at;
    const min = sign === undefined ? Number(low) : sign === "+" ? 1 : 0;
    const isUnbounded = sign === undefined ? comma === "," && high === "" : sign !== "?";
    const max = sign === "?" ? 1 : Number(high || low);
    const count = isUnbounded ? min : max;
    if (count > maxCopies) return loop(body, min);
    if (count === 0) return isUnbounded ? loop(body, 0) : EMPTY;
    const copies = [body];
    while (copies.length < count) {
      at = start;
      copies.push(parseAtom());
    }
    at = end;
    const last = copies.length - 1;
    if (isUnbounded) return [...copies.slice(0, last), loop(copies[last] ?? body, 1)].reduce(concat);
    const rest = copies.slice(min).reduceRight((after, copy) => option(concat(copy, after)), EMPTY);
    return concat(copies.slice(0, min).reduce(concat, EMPTY), rest);
  }

  function loop(body: Fragment, min: number): Fragment {
    loops++;
    width = Math.max(width, body.paths);
    connect(body.last, body.first);
    // Any of the required iterations may match the empty text, as in (a?){30}.
    if (min > 1 && body.empty > 0) connect(body.last, body.first);
    if (min === 0) return { ...option(body), paths: 1 };
    // The first iteration may match the empty text, and the second iteration the text.
    return { ...body, first: sum(body.first, times(body.first, body.empty)), paths: 1 };
  }

  function parseAtom(): Fragment {
    const token = tokens[at++] ?? "";
    if (token === "^") return EMPTY;
    if (token === "$" || token === "\\b" || token === "\\B") {
      canFailAtEnd = true;
      return EMPTY;
    }
    if (token.startsWith("(")) return parseGroup(token);
    if (/^\\[k1-9]/.test(token)) throw new RangeError("back reference");
    return addPosition(charactersOf(token));
  }

  function parseGroup(token: string): Fragment {
    const isLookaround = /^\(\?<?[=!]/.test(token);
    if (!isLookaround && !/^\((?:\?(?::|<.*>))?$/.test(token)) throw new RangeError("unknown group");
    const loopsBefore = loops;
    const level = isLookaround ? 1 : 0;
    depth++;
    lookDepth += level;
    const body = parseAlternatives();
    at++;
    if (isLookaround && loops > loopsBefore) lookarounds = Math.max(lookarounds, lookDepth);
    lookDepth -= level;
    depth--;
    if (!isLookaround) return body;
    canFailAtEnd = true;
    return { ...EMPTY, paths: body.paths };
  }

  function addPosition(set: bigint): Fragment {
    if (sets.length >= MAX_POSITIONS) throw new RangeError("too large");
    const position = sets.push(set) - 1;
    follow.push(new Map());
    return { empty: 0, first: new Map([[position, 1]]), last: new Map([[position, 1]]), paths: 1 };
  }

  function concat(a: Fragment, b: Fragment): Fragment {
    connect(a.last, b.first);
    return {
      empty: cap(a.empty * b.empty),
      first: sum(a.first, times(b.first, a.empty)),
      last: sum(b.last, times(a.last, b.empty)),
      paths: a.paths * b.paths,
    };
  }

  function connect(from: Ways, to: Ways): void {
    for (const [position, ways] of from) {
      follow[position] = sum(follow[position] ?? new Map(), times(to, ways));
    }
  }

  /** Returns the characters of a class, a literal or an escape; the engine itself matches the ASCII characters. */
  function charactersOf(token: string): bigint {
    const known = classes.get(token);
    if (known !== undefined) return known;
    let set = 0n;
    for (const character of ASCII.match(new RegExp(token, "gu")) ?? []) set |= 1n << BigInt(character.charCodeAt(0));
    const isLiteral = /^[^\\[.]$/u.test(token);
    const isAscii = set !== 0n && (isLiteral || ASCII_TOKEN.test(token));
    // Beyond ASCII, a literal gets its own bit; classes and escapes are assumed to match every character there.
    if (!isAscii) set |= isLiteral ? 1n << BigInt(128 + classes.size) : BEYOND_ASCII;
    classes.set(token, set);
    return set;
  }

  const whole = parseAlternatives();
  const final = new Set(canFailAtEnd ? [] : whole.last.keys());
  if (!isAnchored) {
    width = Math.max(width, whole.paths);
    // A search starts at any position, as if the pattern began with a loop over every character.
    const search = addPosition(EVERY);
    connect(search.last, search.first);
    connect(search.last, whole.first);
  }
  return { sets, follow, final, lookarounds, loops, paths: whole.paths, width };
}

/**
 * Skipping counts as one way: the engine rejects an optional iteration that matches nothing (ECMA-262, RepeatMatcher).
 */
function option(body: Fragment): Fragment {
  return { ...body, empty: 1, paths: body.paths + 1 };
}

function sum(a: Ways, b: Ways): Ways {
  const result = new Map(a);
  for (const [position, ways] of b) result.set(position, cap((result.get(position) ?? 0) + ways));
  return result;
}

function times(ways: Ways, factor: number): Ways {
  if (factor === 0) return new Map();
  return new Map([...ways].map(([position, count]) => [position, cap(count * factor)]));
}

function cap(ways: number): number {
  return Math.min(ways, 2);
}
