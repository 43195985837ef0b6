import { EXPANSIONS, type Expression, type Part, toText, type Variable } from "./expression.ts";
import { type Pairs, variablePairs } from "./pairs.ts";
import { quote, TemplateError } from "./template-error.ts";

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
  /** What takes the text; of `{;…}`, and of `{&…}` outside a query, the first of those that do. */
  readonly variable: Variable;
  /** What reads `key=value` pairs: those of `{;…}`, or an exploded variable that is a map. */
  readonly pairs: Pairs | undefined;
  /** The character that shows that the hole is filled; "" for one that always is. */
  readonly lead: string;
  readonly mayBeEmpty: boolean;
  /** Whether its text may have a "/". */
  readonly wide: boolean;
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
    if (typeof part !== "string") holes.push(...toHoles(part));
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

function toHoles(expression: Expression): Hole[] {
  const { operator, variables } = expression;
  const { named, separator } = EXPANSIONS[operator];
  if (named) return [createHole(expression, variables)];
  const holes = variables.map((variable) => createHole(expression, [variable]));
  // The comma of {a,b} is no other than that of {a},{b}. In {/a,b} each value has a lead of its own.
  if (separator === ",") {
    for (const hole of holes.slice(0, -1)) hole.after = ",";
  }
  return holes;
}

function createHole(expression: Expression, variables: readonly Variable[]): Hole {
  const { operator } = expression;
  const { named, first, separator, reserved } = EXPANSIONS[operator];
  const [variable] = variables as [Variable];
  const wide = reserved || (operator === "/" && variable.explode);
  const stops = new Uint8Array(128);
  if (!wide) stops[SLASH] = 1;
  return {
    expression,
    variable,
    pairs: named || variable.explode ? variablePairs(variables, separator) : undefined,
    // The "#" of {#name} stands before the fragment.
    lead: operator === "#" ? "" : first,
    mayBeEmpty: first !== "",
    wide,
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
  return hole.pairs !== undefined && (char === "=" || char === hole.pairs.separator);
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
    if (next.lead === hole.lead && leads !== "" && !leads.endsWith(hole.lead)) {
      throw uncertain(text, hole, toText(next.expression));
    }
    hole.stops[next.lead.charCodeAt(0)] = 1;
    leads += next.lead;
  }
}

function setDelimiter(text: string, hole: Hole, literal: string, leads: string, next: Hole): void {
  if (literal.charAt(0) === hole.lead) throw uncertain(text, hole, quote(literal));
  let back = 0;
  while (back < literal.length && mayContain(hole, literal.charAt(back))) back++;
  if (back === literal.length) throw endless(text, hole, literal, next);
  // In {a}{/b}.x/{c} the "/" that ends {a} could begin {/b}, or stand behind ".x".
  if (leads.includes(literal.charAt(back))) throw uncertain(text, hole, quote(literal));
  hole.delimiter = literal.charCodeAt(back);
  hole.stops[hole.delimiter] = 1;
  hole.back = back;
}

function endless(text: string, hole: Hole, between: string, next: Hole): TemplateError {
  const reason = between === "" ? "nothing" : `only ${quote(between)}, which it may contain,`;
  const problem = `{${hole.variable.name}} has no certain end: ${reason} stands before {${next.variable.name}}`;
  const remedy = hole.wide ? `let only literal text follow ${toText(hole.expression)}` : `put "/" between the two`;
  return new TemplateError(text, hole.expression.position, `${problem}; ${remedy}.`);
}

function uncertain(text: string, hole: Hole, behind: string): TemplateError {
  const where = toText(hole.expression);
  const problem = `${behind} behind ${where} can be read in two ways, because an expression before it may be left out`;
  return new TemplateError(text, hole.expression.position, `${problem}; write /{name}, which is never left out.`);
}
