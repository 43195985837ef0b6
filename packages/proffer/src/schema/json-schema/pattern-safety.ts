import { type Automaton, buildAutomaton } from "./pattern-automaton.ts";

/** What the analysis itself may cost; a pattern beyond it is taken for the worst. */
const MAX_STEPS = 300_000;

/**
 * Bounds the time that a backtracking engine can take to match a pattern, in the length of the text: 1 for linear, 2 for
 * quadratic and so on, infinity for exponential or unknown.
 *
 * A backtracking engine takes every path that the automaton has for a text, so what counts is how many there can be. They
 * multiply where a loop can be gone around in two ways over the same text, and add one power for each place where the engine
 * may leave one loop for the next anywhere in the same text (Weber and Seidl, "On the degree of ambiguity of finite automata").
 */
export function patternDegree(source: string): number {
  // First as if every bounded repetition were unbounded. Where that is too much, with the bounds, if they leave few enough
  // paths: the octets of an IPv4 address can be read in a few ways, `(a?){30}` in a billion.
  const degree = findDegree(source, 1, 100_000);
  return degree === 1 ? degree : Math.min(degree, findDegree(source, 64, 2_000));
}

function findDegree(source: string, maxCopies: number, maxPaths: number): number {
  try {
    const automaton = buildAutomaton(source, maxCopies);
    if (automaton.paths > maxPaths) return Number.POSITIVE_INFINITY;
    if (automaton.loops === 0) return 1;
    const graph = createGraph(automaton);
    if (isExponential(graph)) return Number.POSITIVE_INFINITY;
    return (longestChain(graph) + 1) * (automaton.lookarounds + 1);
  } catch (error) {
    if (error instanceof RangeError) return Number.POSITIVE_INFINITY;
    throw error;
  }
}

interface Graph {
  readonly sets: readonly bigint[];
  readonly final: ReadonlySet<number>;
  /** The positions that may come next, and of these the ones from which there is a way back. */
  readonly next: readonly (readonly number[])[];
  readonly nextInLoop: readonly (readonly number[])[];
  /** Whether in some loop one position may follow another in more than one way. */
  readonly hasTwinEdges: boolean;
  /** Whether the second position can come at any time after the first. */
  reaches(from: number, to: number): boolean;
  /** Counts one step of the analysis. */
  step(): void;
}

function createGraph({ sets, follow, final }: Automaton): Graph {
  const next = follow.map((ways) => [...ways.keys()]);
  const reached = next.map((_, start) => {
    const found = new Set(next[start]);
    // A set hands out what is added while it is walked.
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
    if (++steps > MAX_STEPS) throw new RangeError("too intricate");
  };
  return { sets, final, next, nextInLoop, hasTwinEdges, reaches, step };
}

/** Looks for two ways around a loop: paths that part, read the same characters, and meet again. */
function isExponential({ sets, nextInLoop, hasTwinEdges, step }: Graph): boolean {
  if (hasTwinEdges) return true;
  const size = sets.length;
  const pairs = new Set<number>();
  // After each of many alternatives in a loop comes the same list of them; once is enough.
  const lists = new Map(nextInLoop.map((list) => [list.join(), list]));
  for (const list of lists.values()) {
    for (const a of list) {
      for (const b of list) {
        step();
        if (a < b && meet(sets, a, b)) pairs.add(a * size + b);
      }
    }
  }
  for (const pair of pairs) {
    for (const a of nextInLoop[Math.floor(pair / size)] ?? []) {
      for (const b of nextInLoop[pair % size] ?? []) {
        step();
        if (!meet(sets, a, b)) continue;
        if (a === b) return true;
        pairs.add(a * size + b);
      }
    }
  }
  return false;
}

/** Counts the most places, one after the other, where the engine may leave a loop for another anywhere in the same text. */
function longestChain(graph: Graph): number {
  const { next, final, reaches } = graph;
  const positions = [...next.keys()].filter((position) => reaches(position, position));
  // Positions of the same loop go by the name of the first.
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

/** Looks for a text that leads around the first loop, from the first loop to the second, and around the second. */
function isChoice({ sets, next, nextInLoop, reaches, step }: Graph, from: number, to: number): boolean {
  const size = sets.length;
  const encode = (a: number, b: number, c: number) => (a * size + b) * size + c;
  const goal = encode(from, to, to);
  const triples = new Set([encode(from, from, to)]);
  for (const triple of triples) {
    for (const a of nextInLoop[Math.floor(triple / size / size)] ?? []) {
      for (const b of next[Math.floor(triple / size) % size] ?? []) {
        step();
        if (!meet(sets, a, b) || !(b === to || reaches(b, to))) continue;
        for (const c of nextInLoop[triple % size] ?? []) {
          if (meet(sets, a, b, c)) triples.add(encode(a, b, c));
        }
      }
    }
    if (triples.has(goal)) return true;
  }
  return false;
}

/** Tells whether some character belongs to all of the positions. */
function meet(sets: readonly bigint[], a: number, b: number, c = a): boolean {
  return ((sets[a] ?? 0n) & (sets[b] ?? 0n) & (sets[c] ?? 0n)) !== 0n;
}
