/**
 * A regular expression as a position automaton (Glushkov): one state for each character class that is written in it, and an
 * edge where one may directly follow another. Edges carry in how many ways, since a backtracking engine tries each of them:
 * in `(a*)*` an `a` follows an `a` by the inner and by the outer star.
 */
export interface Automaton {
  /** The characters that each position matches, as bits: one for each ASCII character, more for others. */
  readonly sets: readonly bigint[];
  /** The positions that may come next, each with the number of ways to get there; 2 stands for any more. */
  readonly follow: readonly Ways[];
  /** Positions that end a match whatever comes next. */
  readonly final: ReadonlySet<number>;
  /** How many lookarounds with loops may be tried one inside the other, anew at each place of the text. */
  readonly lookarounds: number;
  /** How many things are repeated without a small bound. */
  readonly loops: number;
}

type Ways = Map<number, number>;

/** A part of the pattern: in how many ways it matches the empty text, and the positions it may begin and end with. */
interface Fragment {
  readonly empty: number;
  readonly first: Ways;
  readonly last: Ways;
}

const TOKEN =
  /\\(?:[pP]\{[^}]*\}|u\{[^}]*\}|u[dD][89abAB]..\\u[dD][c-fC-F]..|u.{4}|x..|c.|k<[^>]*>|\d+|.)|\[(?:\\.|[^\]\\])*\]|\(\?(?:[:=!]|<[=!]|<[^>]*>|[^)]*)|[*+?]\??|\{\d+,?\d*\}\??|./gsu;
const ASCII = String.fromCharCode(...Array.from({ length: 128 }, (_, code) => code));
/** Escapes and classes that match nothing beyond ASCII: of the escapes, those for one character or for digits and words. */
const ASCII_TOKEN = /^(?:\\[^DWSspP]|\\[ux]..+|\[(?!\^)(?:[ -[\]-~]|\\[^DWSspPux])*\])$/;
const OTHERS = -1n << 128n;
const EVERY = -1n;

/** Repetitions up to this bound are written out; what has a larger one is taken for unbounded. */
const SMALL = 8;
/** The same for a fixed number of one character, such as the digits of a hash. */
const SMALL_EXACT = 64;
const MAX_POSITIONS = 1_000;

const EMPTY: Fragment = { empty: 1, first: new Map(), last: new Map() };

/**
 * Builds the automaton of a pattern that is known to be valid with the flag u.
 * @throws {RangeError} for a pattern that is too large, or has back references or other things with no automaton
 */
export function buildAutomaton(source: string): Automaton {
  const tokens = source.match(TOKEN) ?? [];
  const sets: bigint[] = [];
  const follow: Ways[] = [];
  const classes = new Map<string, bigint>();
  let at = 0;
  let depth = 0;
  let isAnchored = true;
  let isAtStart = true;
  let canFailAtEnd = false;
  let lookDepth = 0;
  let lookarounds = 0;
  let loops = 0;

  function parseAlternatives(): Fragment {
    let result = parseSequence();
    while (tokens[at] === "|") {
      at++;
      const other = parseSequence();
      result = {
        empty: cap(result.empty + other.empty),
        first: sum(result.first, other.first),
        last: sum(result.last, other.last),
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
    const quantifier = readQuantifier(tokens[at]);
    if (quantifier === undefined) return body;
    const { min, max } = quantifier;
    const isExact = min === max && at === start + 1 && max <= SMALL_EXACT;
    at++;
    const copy = () => {
      const end = at;
      at = start;
      const fragment = parseAtom();
      at = end;
      return fragment;
    };
    return max <= SMALL || isExact ? writeOut(body, copy, min, max) : loop(body, copy, min);
  }

  function writeOut(body: Fragment, copy: () => Fragment, min: number, max: number): Fragment {
    if (max === 0) return EMPTY;
    const copies = [body];
    while (copies.length < max) copies.push(copy());
    const optional = copies.slice(min).reduceRight((rest, fragment) => option(concat(fragment, rest)), EMPTY);
    return concat(copies.slice(0, min).reduce(concat, EMPTY), optional);
  }

  function loop(body: Fragment, copy: () => Fragment, min: number): Fragment {
    loops++;
    const isShort = min <= SMALL;
    let before = EMPTY;
    for (let i = 1; isShort && i < min; i++) before = concat(before, copy());
    connect(body.last, body.first);
    // Any of many iterations that must run may be the ones that match nothing, as in (a?){30}.
    if (!isShort && body.empty > 0) connect(body.last, body.first);
    if (min === 0) return option(body);
    // The first iteration may match nothing and leave the text to the second.
    const first = sum(body.first, times(body.first, body.empty));
    return concat(before, { ...body, first });
  }

  function parseAtom(): Fragment {
    const token = tokens[at++] ?? "";
    if (token === "^") return EMPTY;
    if (token === "$" || token === "\\b" || token === "\\B") {
      canFailAtEnd = true;
      return EMPTY;
    }
    if (token.startsWith("(")) return parseGroup(token);
    if (/^\\(?:k|[1-9])/.test(token)) throw new RangeError("back reference");
    isAtStart = false;
    return addPosition(charactersOf(token));
  }

  function parseGroup(token: string): Fragment {
    const isLookaround = /^\(\?<?[=!]/.test(token);
    if (!isLookaround && !/^\((?:\?(?::|<.*>))?$/.test(token)) throw new RangeError("unknown group");
    // Tried once only: before any character of a pattern that begins with ^.
    const isLeading = isAnchored && isAtStart && depth === 0;
    const [wasAtStart, loopsBefore] = [isAtStart, loops];
    const level = isLookaround && !isLeading ? 1 : 0;
    depth++;
    lookDepth += level;
    const body = parseAlternatives();
    if (isLookaround && loops > loopsBefore) lookarounds = Math.max(lookarounds, lookDepth);
    lookDepth -= level;
    depth--;
    at++;
    if (!isLookaround) return body;
    isAtStart = wasAtStart;
    canFailAtEnd = true;
    return EMPTY;
  }

  function addPosition(set: bigint): Fragment {
    if (sets.length >= MAX_POSITIONS) throw new RangeError("too large");
    const position = sets.push(set) - 1;
    follow.push(new Map());
    return { empty: 0, first: new Map([[position, 1]]), last: new Map([[position, 1]]) };
  }

  function concat(a: Fragment, b: Fragment): Fragment {
    connect(a.last, b.first);
    return {
      empty: cap(a.empty * b.empty),
      first: sum(a.first, times(b.first, a.empty)),
      last: sum(b.last, times(a.last, b.empty)),
    };
  }

  function connect(from: Ways, to: Ways): void {
    for (const [position, ways] of from) {
      follow[position] = sum(follow[position] ?? new Map(), times(to, ways));
    }
  }

  /** The characters of a class, a literal or an escape; the engine itself says which of ASCII they are. */
  function charactersOf(token: string): bigint {
    const known = classes.get(token);
    if (known !== undefined) return known;
    let set = 0n;
    for (const character of ASCII.match(new RegExp(token, "gu")) ?? []) set |= 1n << BigInt(character.charCodeAt(0));
    const isLiteral = /^[^\\[.]$/u.test(token);
    const isAscii = set !== 0n && (isLiteral || ASCII_TOKEN.test(token));
    // Beyond ASCII a literal gets a bit of its own, and everything else is taken to match every character there.
    if (!isAscii) set |= isLiteral ? 1n << BigInt(128 + classes.size) : OTHERS;
    classes.set(token, set);
    return set;
  }

  const whole = parseAlternatives();
  const final = new Set(canFailAtEnd ? [] : whole.last.keys());
  if (!isAnchored) {
    // A search begins anywhere, as if the pattern began with a loop over every character.
    const search = addPosition(EVERY);
    connect(search.last, search.first);
    connect(search.last, whole.first);
  }
  return { sets, follow, final, lookarounds, loops };
}

function readQuantifier(token: string | undefined): { min: number; max: number } | undefined {
  if (token === undefined) return undefined;
  if (token.startsWith("*")) return { min: 0, max: Number.POSITIVE_INFINITY };
  if (token.startsWith("+")) return { min: 1, max: Number.POSITIVE_INFINITY };
  if (token.startsWith("?")) return { min: 0, max: 1 };
  const bounds = /^\{(\d+)(,?)(\d*)\}/.exec(token);
  if (bounds === null) return undefined;
  const min = Number(bounds[1]);
  if (bounds[2] === "") return { min, max: min };
  return { min, max: bounds[3] === "" ? Number.POSITIVE_INFINITY : Number(bounds[3]) };
}

/** Skipping is one way only: an optional iteration that matches nothing is given up (ECMA-262, RepeatMatcher). */
function option(body: Fragment): Fragment {
  return { ...body, empty: 1 };
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
