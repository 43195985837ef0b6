import { EXPANSIONS } from "./expression.ts";
import { countCharacters } from "./percent.ts";
import type { Plan } from "./plan.ts";
import { readPairs } from "./read-pairs.ts";
import { createReading, type Match, type MatchOptions, type Reading, readText, toMatch } from "./reading.ts";
import type { Hole, Sequence } from "./sequence.ts";

/** Matches a URI in one scan from left to right; returns undefined if the plan does not describe it. */
export function matchPlan(plan: Plan, uri: string, options: MatchOptions): Match | undefined {
  const hash = uri.indexOf("#");
  if (!allowsFragment(plan, hash !== -1)) return undefined;
  const beforeHash = hash === -1 ? uri : uri.slice(0, hash);
  const questionMark = beforeHash.indexOf("?");
  const path = questionMark === -1 ? beforeHash : beforeHash.slice(0, questionMark);
  const reading = createReading(options);
  if (!readSequence(plan.path, path, reading)) return undefined;
  if (questionMark !== -1 || plan.query.required > 0) {
    const query = questionMark === -1 ? "" : beforeHash.slice(questionMark + 1);
    if (!readPairs(plan.query, query, reading)) return undefined;
  }
  if (hash !== -1 && plan.fragment !== undefined) {
    if (!readSequence(plan.fragment, uri.slice(hash + 1), reading)) return undefined;
  }
  return toMatch(reading);
}

function allowsFragment(plan: Plan, present: boolean): boolean {
  if (plan.fragment === undefined) return !present;
  return present || plan.fragmentOptional;
}

function readSequence({ prefix, holes, suffix }: Sequence, text: string, reading: Reading): boolean {
  if (!text.startsWith(prefix) || !text.endsWith(suffix)) return false;
  const end = text.length - suffix.length;
  // If the prefix and the suffix overlap in the text, `at` is beyond `end`, and the comparison below fails.
  let at = prefix.length;
  for (const hole of holes) {
    if (hole.lead === "" || (at < end && text.startsWith(hole.lead, at))) {
      const start = at + hole.lead.length;
      at = findEnd(hole, text, start, end);
      if (at < start || (at === start && !hole.mayBeEmpty)) return false;
      if (!readHole(hole, text.slice(start, at), reading)) return false;
    }
    if (!text.startsWith(hole.after, at)) return false;
    at += hole.after.length;
  }
  return at === end;
}

/** Returns the position where the text of a hole ends. Reads each character once. */
function findEnd(hole: Hole, text: string, start: number, end: number): number {
  for (let at = start; at < end; at++) {
    const code = text.charCodeAt(at);
    if (hole.stops[code] === 1) return code === hole.delimiter ? at - hole.delimiterOffset : at;
  }
  return end;
}

function readHole({ variable, pairs }: Hole, raw: string, reading: Reading): boolean {
  const { name, operator, explode, prefix } = variable;
  if (pairs !== undefined && (EXPANSIONS[operator].named || reading.options.maps?.includes(name))) {
    return readPairs(pairs, raw, reading);
  }
  if (prefix !== undefined && countCharacters(raw) > prefix) return false;
  if (explode) reading.values[name] = readList(name, raw.split(EXPANSIONS[operator].separator), reading);
  else reading.values[name] = readText(reading, name, raw);
  return true;
}

function readList(name: string, items: readonly string[], reading: Reading): string[] {
  return items.map((item) => readText(reading, name, item));
}
