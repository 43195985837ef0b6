import { EXPANSIONS } from "./expression.ts";
import { createDraft, type Draft, type Match, type MatchOptions, readText } from "./match-result.ts";
import { readPairs } from "./pairs.ts";
import { countCharacters } from "./percent.ts";
import type { Plan } from "./plan.ts";
import type { Hole, Sequence } from "./sequence.ts";

/** The longest URI that is matched; a longer one matches nothing. */
export const MAX_URI_LENGTH = 16_384;

/** Reads a URI by a plan, or returns undefined if the plan does not describe it. One scan from left to right. */
export function matchPlan(plan: Plan, uri: string, options: MatchOptions): Match | undefined {
  if (uri.length > MAX_URI_LENGTH) return undefined;
  const hash = uri.indexOf("#");
  const whole = hash === -1 ? uri : uri.slice(0, hash);
  if (hash === -1 ? plan.fragment !== undefined && !plan.fragmentOptional : plan.fragment === undefined)
    return undefined;
  const mark = whole.indexOf("?");
  const path = mark === -1 ? whole : whole.slice(0, mark);
  const draft = createDraft();
  if (!readSequence(plan.path, path, draft, options)) return undefined;
  if (mark !== -1 || plan.query.required > 0) {
    const query = mark === -1 ? "" : whole.slice(mark + 1);
    if (!readPairs(plan.query, query, "&", draft, options)) return undefined;
  }
  if (hash !== -1 && plan.fragment !== undefined) {
    if (!readSequence(plan.fragment, uri.slice(hash + 1), draft, options)) return undefined;
  }
  return draft;
}

function readSequence(sequence: Sequence, text: string, draft: Draft, options: MatchOptions): boolean {
  const { prefix, holes, suffix } = sequence;
  const end = text.length - suffix.length;
  let at = prefix.length;
  if (at > end || !text.startsWith(prefix) || !text.endsWith(suffix)) return false;
  for (const hole of holes) {
    if (hole.lead === "" || (at < end && text.startsWith(hole.lead, at))) {
      const start = at + hole.lead.length;
      at = findEnd(hole, text, start, end);
      if (at < start || (at === start && !hole.mayBeEmpty)) return false;
      if (!readHole(hole, text.slice(start, at), draft, options)) return false;
    }
    if (hole.after === "") continue;
    if (!text.startsWith(hole.after, at)) return false;
    at += hole.after.length;
    if (at > end) return false;
  }
  return at === end;
}

/** Where the text of a hole ends. No character is looked at twice. */
function findEnd(hole: Hole, text: string, start: number, end: number): number {
  for (let at = start; at < end; at++) {
    const code = text.charCodeAt(at);
    if (hole.stops[code] === 1) return code === hole.delimiter ? at - hole.back : at;
  }
  return end;
}

function readHole(hole: Hole, raw: string, draft: Draft, options: MatchOptions): boolean {
  const { pairs, variable } = hole;
  const { separator } = EXPANSIONS[variable.operator];
  if (pairs !== undefined) return readPairs(pairs, raw, separator, draft, options);
  if (variable.prefix !== undefined && countCharacters(raw) > variable.prefix) return false;
  const { name } = variable;
  if (!variable.explode) draft.values[name] = readText(draft, options, name, raw);
  else if (options.maps?.includes(name)) draft.values[name] = readMap(name, raw.split(separator), draft, options);
  else draft.values[name] = raw.split(separator).map((item) => readText(draft, options, name, item));
  return true;
}

function readMap(name: string, items: readonly string[], draft: Draft, options: MatchOptions): Record<string, string> {
  // Keys come from outside; without a prototype, `__proto__` is a key like any other.
  const map: Record<string, string> = Object.create(null);
  for (const item of items) {
    const equals = item.indexOf("=");
    const key = readText(draft, options, name, equals === -1 ? item : item.slice(0, equals));
    map[key] = equals === -1 ? "" : readText(draft, options, name, item.slice(equals + 1));
  }
  return map;
}
