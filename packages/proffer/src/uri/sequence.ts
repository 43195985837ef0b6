import { EXPANSIONS, type Expression, type Part, toText, type Variable } from "./expression.ts";
import { type Pairs, variablePairs } from "./pairs.ts";
import { TemplateError } from "./template-error.ts";

/** A stretch of a URI that is read from left to right, without ever going back: a path or a fragment. */
export interface Sequence {
  /** The literal text that it begins with. */
  readonly prefix: string;
  readonly holes: readonly Hole[];
  /** The literal text that it ends with, after the last hole. */
  readonly suffix: string;
}

/** A place in a sequence that a variable fills, or several as `;key=value` pairs. */
export interface Hole {
  readonly expression: Expression;
  readonly variable: Variable;
  /** What reads the text of a `{;…}`, or of a `{&…}` outside a query, in place of `variable`. */
  readonly pairs: Pairs | undefined;
  /** The character that shows that the hole is filled; "" for one that always is. */
  readonly lead: string;
  readonly mayBeEmpty: boolean;
  /** The literal text between this hole and the next. */
  after: string;
  /** By character code: 1 for what ends it. */
  readonly stops: Uint8Array;
  /** The first character of the literal text behind it that it cannot contain, and how far into that text it stands. */
  delimiter: number;
  back: number;
}

/** Prepares a sequence. @throws {TemplateError} if a URI could be read in two ways. */
export function toSequence(text: string, parts: readonly Part[]): Sequence {
  let prefix = "";
  const holes: Hole[] = [];
  for (const part of parts) {
    const before = holes.at(-1);
    if (typeof part !== "string") holes.push(...toHoles(text, part));
    else if (before === undefined) prefix += part;
    else before.after += part;
  }
  const end = holes.at(-1);
  const suffix = end?.after ?? "";
  // Taken off the end of a URI before anything else is read, so it delimits nothing.
  if (end !== undefined) end.after = "";
  for (const index of holes.keys()) setEnd(text, holes, index);
  return { prefix, holes, suffix };
}

function toHoles(text: string, expression: Expression): Hole[] {
  const { operator, variables } = expression;
  if (operator === ";" || operator === "&") {
    return variables.slice(0, 1).map((variable) => createHole(expression, variable, variablePairs(text, expression)));
  }
  const holes = variables.map((variable) => createHole(expression, variable, undefined));
  // The comma of {a,b} is no different from that of {a},{b}; in {/a,b} each value has a "/" of its own.
  if (EXPANSIONS[operator].separator === ",") {
    for (const hole of holes.slice(0, -1)) hole.after = ",";
  }
  return holes;
}

function createHole(expression: Expression, variable: Variable, pairs: Pairs | undefined): Hole {
  const { operator } = expression;
  const stops = new Uint8Array(128);
  const crosses = operator === "+" || operator === "#" || (operator === "/" && variable.explode);
  if (!crosses) stops[SLASH] = 1;
  return {
    expression,
    variable,
    pairs,
    // The "#" of {#name} does not stand in the fragment.
    lead: operator === "#" ? "" : EXPANSIONS[operator].first,
    mayBeEmpty: operator !== "" && operator !== "+",
    after: "",
    stops,
    delimiter: -1,
    back: 0,
  };
}

const SLASH = 47;
const UNRESERVED_OR_TRIPLET = /^[A-Za-z0-9\-._~%]$/;

/** Whether an expansion can put a character into a hole, after its lead. */
function mayContain(hole: Hole, char: string): boolean {
  const { operator } = hole.expression;
  if (EXPANSIONS[operator].reserved || UNRESERVED_OR_TRIPLET.test(char)) return true;
  if (hole.pairs === undefined && !hole.variable.explode) return false;
  return char === "=" || char === EXPANSIONS[operator].separator;
}

/** Finds out what ends a hole: a lead or a literal further right, since the holes between may be left out. */
function setEnd(text: string, holes: readonly Hole[], index: number): void {
  const hole = holes[index] as Hole;
  let leads = "";
  for (let at = index; at < holes.length; at++) {
    const literal = holes[at]?.after ?? "";
    const next = holes[at + 1];
    if (next === undefined) return;
    if (literal !== "") {
      setDelimiter(text, hole, literal, leads, next);
      return;
    }
    if (next.lead === "" || mayContain(hole, next.lead)) throw endless(text, hole, next.lead, next);
    // Of {/a}{;b}{/c}, "/x" could fill the first or the last. Of {/a,b} it fills the first.
    if (next.lead === hole.lead && leads !== "" && !leads.endsWith(hole.lead))
      throw leftOut(text, hole, toText(next.expression));
    hole.stops[next.lead.charCodeAt(0)] = 1;
    leads += next.lead;
  }
}

function setDelimiter(text: string, hole: Hole, literal: string, leads: string, next: Hole): void {
  if (literal.charAt(0) === hole.lead) throw leftOut(text, hole, JSON.stringify(literal));
  let back = 0;
  while (back < literal.length && mayContain(hole, literal.charAt(back))) back++;
  if (back === literal.length) throw endless(text, hole, literal, next);
  // In {a}{/b}.x/{c} the "/" that ends {a} could begin {/b}, or stand behind ".x".
  if (leads.includes(literal.charAt(back))) throw leftOut(text, hole, JSON.stringify(literal));
  hole.delimiter = literal.charCodeAt(back);
  hole.stops[hole.delimiter] = 1;
  hole.back = back;
}

function endless(text: string, hole: Hole, between: string, next: Hole): TemplateError {
  const what = between === "" ? "nothing stands" : `only ${JSON.stringify(between)}, which it may contain, stands`;
  const problem = `it is undecided where {${hole.variable.name}} ends, because ${what} before {${next.variable.name}}`;
  return new TemplateError(
    text,
    hole.expression.position,
    `${problem}; put a delimiter such as "/" between simple variables.`,
  );
}

function leftOut(text: string, hole: Hole, behind: string): TemplateError {
  const problem = `${toText(hole.expression)} may be left out, and then ${behind} behind it could be taken for it`;
  return new TemplateError(
    text,
    hole.expression.position,
    `${problem}; write variables that are never left out, such as /{name}.`,
  );
}
