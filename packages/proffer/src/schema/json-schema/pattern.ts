import { type PatternNode, parsePattern } from "./pattern-tree.ts";
import { charge } from "./run.ts";

/** A regular expression that is matched in a time linear in the text, whatever the text is. */
export interface Pattern {
  readonly source: string;
  /** The steps (see `run.left`) for one character of a text. */
  readonly cost: number;
  /** Whether a text contains a match. */
  test(text: string): boolean;
}

/** Whether a text matches a pattern. Beyond the work limit it does not. */
export function matches(pattern: Pattern, text: string): boolean {
  return charge(4 + text.length * pattern.cost) && pattern.test(text);
}

/** The largest automaton. Each of its states may cost a step for each character of a text. */
const MAX_STATES = 2000;

/** The steps for a character that the engine reads, and for a state of an automaton. */
const ENGINE_COST = 1 / 4;
const STATE_COST = 1 / 2;

/**
 * Compiles a pattern that is valid with the flag `u`. The engine backtracks, so it gets only patterns that leave it no
 * choice: at each character of a text at most one part of the pattern can read it, and the match begins at the start of
 * the text, or has no loops. An automaton matches all others: it follows every choice at once.
 * @throws {RangeError} for a back reference, an unknown group, or a pattern that is too large
 */
export function compilePattern(source: string): Pattern {
  const tree = parsePattern(source);
  // With loops in place of repetitions, an automaton is small, and the engine has as many choices or more.
  const small = build(tree, 1);
  if (isAnchored(small) && isDeterministic(small)) return trustedPattern(source);
  const automaton = build(tree, Number.POSITIVE_INFINITY);
  const { length } = automaton.states;
  if (isDeterministic(automaton)) {
    if (isAnchored(automaton)) return trustedPattern(source);
    if (!automaton.hasLoops) return trustedPattern(source, length);
  }
  return { source, cost: length * STATE_COST, test: (text) => search(automaton, text) };
}

/** Why a pattern cannot be compiled, such as "has the back reference \\1"; undefined if it can. */
export function patternProblem(source: string): string | undefined {
  try {
    compilePattern(source);
    return undefined;
  } catch (error) {
    if (error instanceof RangeError) return error.message;
    throw error;
  }
}

/** A pattern for the engine. `width`: the characters that it reads again for each character of a text. */
export function trustedPattern(source: string, width = 1): Pattern {
  const regex = new RegExp(source, "u");
  return { source, cost: width * ENGINE_COST, test: (text) => regex.test(text) };
}

/** A state reads a character of its set, or passes where its assertion holds, or else passes to all that follow. */
interface State {
  readonly set?: CharacterSet;
  readonly holds?: Assertion;
  readonly next: readonly number[];
}

/** Whether an assertion holds at a position of a text. */
type Assertion = (text: Text, at: number) => boolean;

/** The characters of a text, and the positions where each lookaround finds a match. */
interface Text {
  readonly points: readonly number[];
  readonly found: readonly Uint8Array[];
}

interface Automaton {
  readonly states: readonly State[];
  readonly start: number;
  /** It reads texts from their end. */
  readonly isBackward: boolean;
  /** A lookaround may need the results of those before it. */
  readonly lookarounds: readonly Automaton[];
  readonly hasLoops: boolean;
}

/** The state of every automaton that ends a match. */
const ACCEPT = 0;

/** Builds an automaton with a copy for each iteration of a repetition; one of more than `maxCopies` becomes a loop. */
function build(tree: PatternNode, maxCopies: number): Automaton {
  const sets = new Map<string, CharacterSet>();
  const lookarounds: Automaton[] = [];
  let hasLoops = false;
  let size = 0;

  function buildOne(root: PatternNode, isBackward: boolean): Automaton {
    const states: State[] = [{ next: [] }];

    function add(state: State): number {
      if (++size > MAX_STATES) throw new RangeError(`has more than ${MAX_STATES} characters, with all repetitions`);
      return states.push(state) - 1;
    }

    /** Adds the states of a part, which lead to `next`; returns the first one. */
    function addNode(next: number, node: PatternNode): number {
      switch (node.kind) {
        case "set": {
          const set = sets.get(node.token) ?? new CharacterSet(node.token, sets.size);
          sets.set(node.token, set);
          return add({ set, next: [next] });
        }
        case "assertion":
          return add({ holds: ASSERTIONS.get(node.token) as Assertion, next: [next] });
        case "lookaround": {
          // To find where a text ahead begins, it is read from its end.
          const index = lookarounds.push(buildOne(node.body, node.isAhead)) - 1;
          return add({ holds: ({ found }, at) => (found[index]?.[at] === 1) !== node.isNegative, next: [next] });
        }
        case "choice":
          return add({ next: node.parts.map((part) => addNode(next, part)) });
        case "sequence":
          return isBackward ? node.parts.reduce(addNode, next) : node.parts.reduceRight(addNode, next);
        case "repeat":
          return addRepeat(node.body, node.min, node.max, next);
      }
    }

    function addRepeat(body: PatternNode, min: number, max: number, next: number): number {
      let first = next;
      let required = Math.min(min, maxCopies);
      if (max <= maxCopies && Number.isFinite(max)) {
        for (let copy = min; copy < max; copy++) first = add({ next: [addNode(first, body), next] });
      } else {
        hasLoops = true;
        const following = [next];
        const fork = add({ next: following });
        const loop = addNode(fork, body);
        following.push(loop);
        first = min === 0 ? fork : loop;
        required--;
      }
      for (let copy = 0; copy < required; copy++) first = addNode(first, body);
      return first;
    }

    return { states, start: addNode(ACCEPT, root), isBackward, lookarounds, hasLoops };
  }

  const automaton = buildOne(tree, false);
  return { ...automaton, hasLoops };
}

/** Whether every match begins at the start of the text. */
function isAnchored({ states, start }: Automaton): boolean {
  const open = new Set([start]);
  // The iteration of a set includes items that are added during it.
  for (const index of open) {
    const { set, holds, next } = states[index] as State;
    if (index === ACCEPT || set !== undefined) return false;
    if (holds !== AT_START) for (const each of next) open.add(each);
  }
  return true;
}

/** Whether at most one state can read the next character of a text, and in one way only. */
function isDeterministic({ states, start, lookarounds }: Automaton): boolean {
  const after = new Set([start, ...states.flatMap(({ set, next }) => (set === undefined ? [] : next))]);
  return lookarounds.length === 0 && [...after].every((first) => hasOneChoice(states, first));
}

function hasOneChoice(states: readonly State[], first: number): boolean {
  const seen = new Set<number>();
  const open = [first];
  let characters = 0n;
  for (const index of open) {
    if (seen.has(index)) return false;
    seen.add(index);
    const { set, next } = states[index] as State;
    if (set === undefined) {
      open.push(...next);
      continue;
    }
    if ((characters & set.bits) !== 0n) return false;
    characters |= set.bits;
  }
  return true;
}

/** Whether a text contains a match. */
function search(automaton: Automaton, text: string): boolean {
  const points = Array.from(text, (character) => character.codePointAt(0) as number);
  const found: Uint8Array[] = [];
  for (const lookaround of automaton.lookarounds) {
    const positions = new Uint8Array(points.length + 1);
    scan(lookaround, { points, found }, positions);
    found.push(positions);
  }
  return scan(automaton, { points, found });
}

/** Reads a text once, with all states at the same time. Stops at the first match, or else marks where all of them end. */
function scan({ states, start, isBackward }: Automaton, text: Text, positions?: Uint8Array): boolean {
  const { points } = text;
  const seen = new Int32Array(states.length).fill(-1);
  let open: number[] = [];
  for (let count = 0; count <= points.length; count++) {
    const at = isBackward ? points.length - count : count;
    const point = points[isBackward ? at - 1 : at] ?? -1;
    const following: number[] = [];
    open.push(start);
    // The list grows during the iteration.
    for (const index of open) {
      if (seen[index] === count) continue;
      seen[index] = count;
      const { set, holds, next } = states[index] as State;
      if (index === ACCEPT) {
        if (positions === undefined) return true;
        positions[at] = 1;
      } else if (set !== undefined) {
        if (point >= 0 && set.has(point)) following.push(...next);
      } else if (holds === undefined || holds(text, at)) {
        open.push(...next);
      }
    }
    open = following;
  }
  return false;
}

const AT_START: Assertion = (_text, at) => at === 0;
const AT_BOUNDARY: Assertion = ({ points }, at) => isWord(points[at - 1]) !== isWord(points[at]);

const ASSERTIONS: ReadonlyMap<string, Assertion> = new Map([
  ["^", AT_START],
  ["$", ({ points }, at) => at === points.length],
  ["\\b", AT_BOUNDARY],
  ["\\B", (text, at) => !AT_BOUNDARY(text, at)],
]);

function isWord(point: number | undefined): boolean {
  return point !== undefined && /\w/.test(String.fromCodePoint(point));
}

const ASCII_SIZE = 128;
/** Escapes and classes that match only ASCII. */
const ASCII_TOKEN = /^(?:\\[^DWSspP].*|\[(?!\^)(?:[ -[\]-~]|\\[^DWSspPux])*\])$/;

/** The characters of a literal, an escape or a class. The engine decides which they are. */
class CharacterSet {
  /** A bit for each ASCII character, and more for others: two sets without a common bit have no common character. */
  readonly bits: bigint;
  readonly #regex: RegExp;
  #point = -1;
  #has = false;

  constructor(token: string, index: number) {
    this.#regex = new RegExp(`^${token}$`, "u");
    let bits = 0n;
    for (let code = 0; code < ASCII_SIZE; code++) if (this.has(code)) bits |= 1n << BigInt(code);
    const isLiteral = /^[^\\[.]$/u.test(token);
    // Beyond ASCII, a literal has a bit of its own; classes and escapes are assumed to match every character there.
    if (isLiteral && bits === 0n) bits = 1n << BigInt(ASCII_SIZE + index);
    else if (bits === 0n || !(isLiteral || ASCII_TOKEN.test(token))) bits |= -1n << BigInt(ASCII_SIZE);
    this.bits = bits;
  }

  /** Remembers the last answer, because the copies of a part ask about the same character. */
  has(point: number): boolean {
    if (point !== this.#point) {
      this.#point = point;
      this.#has = this.#regex.test(String.fromCodePoint(point));
    }
    return this.#has;
  }
}
