import { type Automaton, buildAutomaton } from "./pattern-automaton.ts";

/** The step limit of the analysis itself; a pattern that exceeds it is treated as exponential. */
const MAX_STEPS = 300_000;

/** An upper bound for the time that a backtracking engine takes to match a text: `width * length ** degree` steps. */
export interface PatternCost {
  /** 1 for linear, 2 for quadratic and so on, infinity for exponential or unknown. */
  readonly degree: number;
  /** The number of alternatives at one position of the text: about 60 for `x{0,60}y`, which is linear. */
  readonly width: number;
}

/** A regular expression and its cost. */
export interface Pattern extends PatternCost {
  readonly regex: RegExp;
}

/** Returns the degree of `patternCost`. */
export function patternDegree(source: string): number {
  return patternCost(source).degree;
}

/**
 * Analyzes a pattern.
 *
 * A backtracking engine tries every path of the automaton for a text, so the number of paths decides. It grows
 * exponentially if a loop can read the same text in two ways, and gains one power for each place where the engine may
 * leave one loop for the next at any position of the same text (Weber and Seidl, "On the degree of ambiguity of finite
 * automata").
 */
export function patternCost(source: string): PatternCost {
  // First treat every bounded repetition as unbounded. If the result is too high, unroll the bounds, provided that
  // there are few paths: the octets of an IPv4 address have a few, `(a?){30}` has a billion.
  const cost = findCost(source, 1, 100_000);
  if (cost.degree === 1) return cost;
  const unrolled = findCost(source, 64, 2_000);
  return unrolled.degree < cost.degree ? unrolled : cost;
}

function findCost(source: string, maxCopies: number, maxPaths: number): PatternCost {
  let degree = Number.POSITIVE_INFINITY;
  let width = 1;
  try {
    const automaton = buildAutomaton(source, maxCopies);
    width = automaton.width;
    if (automaton.paths <= maxPaths) degree = findDegree(automaton);
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
  }
  return { degree, width };
}

function findDegree(automaton: Automaton): number {
  if (automaton.loops === 0) return 1;
  const graph = createGraph(automaton);
  if (isExponential(graph)) return Number.POSITIVE_INFINITY;
  return (longestChain(graph) + 1) * (automaton.lookarounds + 1);
}

interface Graph {
  readonly sets: readonly bigint[];
  readonly final: ReadonlySet<number>;
  /** The positions that may come next, and below the subset of them in the same loop. */
  readonly next: readonly (readonly number[])[];
  readonly nextInLoop: readonly (readonly number[])[];
  /** Whether a position in a loop may follow another in more than one way. */
  readonly hasTwinEdges: boolean;
  /** Whether there is a path from one position to the other. */
  reaches(from: number, to: number): boolean;
  /** Counts one step of the analysis. */
  step(): void;
}

function createGraph({ sets, follow, final }: Automaton): Graph {
  const next = follow.map((ways) => [...ways.keys()]);
  const reached = next.map((_, start) => {
    const found = new Set(next[start]);
    // The iteration of a set includes items that are added during it.
    for (const position of found) for (const after of next[position] ?? []) found.add(after);
    return found;
  });
  const reaches = (from: number, to: number) => reached[from]?.has(to) === true;
  const nextInLoop = next.map((list, position) => list.filter((after) => reaches(after, position)));
  const hasTwinEdges = nextInLoop.some((list, position) =>
    list.some((after) => (follow[position]?.get(after) ?? 0) > 1),
  );
  let steps = 0;
  const step = () => {
    if (++steps > MAX_STEPS) throw new RangeError("too complex");
  };
  return { sets, final, next, nextInLoop, hasTwinEdges, reaches, step };
}

/** Searches for two ways around a loop: paths that diverge, read the same characters, and meet again. */
function isExponential({ sets, nextInLoop, hasTwinEdges, step }: Graph): boolean {
  if (hasTwinEdges) return true;
  const size = sets.length;
  const pairs = new Set<number>();
  // Many alternatives in a loop have the same list of successors; each list is examined once.
  const lists = new Map(nextInLoop.map((list) => [list.join(), list]));
  for (const list of lists.values()) {
    for (const a of list) {
      for (const b of list) {
        step();
        if (a < b && overlap(sets, a, b)) pairs.add(a * size + b);
      }
    }
  }
  for (const pair of pairs) {
    for (const a of nextInLoop[Math.floor(pair / size)] ?? []) {
      for (const b of nextInLoop[pair % size] ?? []) {
        step();
        if (!overlap(sets, a, b)) continue;
        if (a === b) return true;
        pairs.add(a * size + b);
      }
    }
  }
  return false;
}

/** Returns the longest chain of loops where the engine may leave one for the next at any position of the same text. */
function longestChain(graph: Graph): number {
  const { next, final, reaches } = graph;
  const positions = [...next.keys()].filter((position) => reaches(position, position));
  // A loop is identified by its first position.
  const loopOf = (position: number) => positions.find((other) => reaches(position, other) && reaches(other, position));
  const edges: { from: number; to: number; gain: number }[] = [];
  for (const from of positions) {
    for (const to of positions) {
      if (!reaches(from, to) || reaches(to, from)) continue;
      const gain = !final.has(to) && isChoice(graph, from, to) ? 1 : 0;
      edges.push({ from: loopOf(from) ?? from, to: loopOf(to) ?? to, gain });
    }
  }
  const length = new Map(positions.map((position) => [position, 0]));
  for (let changed = true; changed; ) {
    changed = false;
    for (const { from, to, gain } of edges) {
      const candidate = (length.get(from) ?? 0) + gain;
      if (candidate <= (length.get(to) ?? 0)) continue;
      length.set(to, candidate);
      changed = true;
    }
  }
  return Math.max(0, ...length.values());
}

/** Searches for one text that goes around the first loop, from the first loop to the second, and around the second. */
function isChoice({ sets, next, nextInLoop, reaches, step }: Graph, from: number, to: number): boolean {
  const size = sets.length;
  const encode = (a: number, b: number, c: number) => (a * size + b) * size + c;
  const goal = encode(from, to, to);
  const triples = new Set([encode(from, from, to)]);
  for (const triple of triples) {
    for (const a of nextInLoop[Math.floor(triple / size / size)] ?? []) {
      for (const b of next[Math.floor(triple / size) % size] ?? []) {
        step();
        if (!overlap(sets, a, b) || !(b === to || reaches(b, to))) continue;
        for (const c of nextInLoop[triple % size] ?? []) {
          if (overlap(sets, a, b, c)) triples.add(encode(a, b, c));
        }
      }
    }
    if (triples.has(goal)) return true;
  }
  return false;
}

/** Whether some character matches all of the positions. */
function overlap(sets: readonly bigint[], a: number, b: number, c = a): boolean {
  return ((sets[a] ?? 0n) & (sets[b] ?? 0n) & (sets[c] ?? 0n)) !== 0n;
}
