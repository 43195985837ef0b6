import { EXPANSIONS, type Expression, type Part, toText, type Variable } from "./expression.ts";
import { type Pairs, variablePairs } from "./pairs.ts";
import { quote, TemplateError } from "./template-error.ts";

/** A path or a fragment, which is read from left to right without backtracking. */
export interface Sequence {
  /** The literal text before the first hole. */
  readonly prefix: string;
  readonly holes: readonly Hole[];
  /** The literal text after the last hole. */
  readonly suffix: string;
}

/** A place in a sequence for a variable, or for several variables as `;key=value` pairs. */
export interface Hole {
  readonly expression: Expression;
  /** The variable that receives the text; for `{;…}`, and for `{&…}` outside a query, the first one. */
  readonly variable: Variable;
  /** The `key=value` pairs of `{;…}`, or of an exploded variable that is a map. */
  readonly pairs: Pairs | undefined;
  /** The character that precedes the value, if a URI may omit the hole; "" for a required hole. */
  readonly lead: string;
  readonly mayBeEmpty: boolean;
  /** Whether the text of the hole may contain "/". */
  readonly spansSegments: boolean;
  /** The literal text between this hole and the next. */
  after: string;
  /** By character code: 1 for the characters that end the hole. */
  readonly stops: Uint8Array;
  /** The first character of the literal text after the hole that the hole cannot contain. */
  delimiter: number;
  /** The position of the delimiter in that literal text. */
  delimiterOffset: number;
}

/** Prepares a sequence. @throws {TemplateError} if it is ambiguous. */
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
  // The suffix is matched against the end of the URI first, so it does not delimit the last hole.
  if (end !== undefined) end.after = "";
  for (const index of holes.keys()) setEnd(text, holes, index);
  return { prefix, holes, suffix };
}

function toHoles(expression: Expression): Hole[] {
  const { operator, variables } = expression;
  const { named, separator } = EXPANSIONS[operator];
  if (named) return [createHole(expression, variables)];
  const holes = variables.map((variable) => createHole(expression, [variable]));
  // {a,b} reads like {a},{b}. In {/a,b} each value has its own lead.
  if (separator === ",") {
    for (const hole of holes.slice(0, -1)) hole.after = ",";
  }
  return holes;
}

function createHole(expression: Expression, variables: readonly Variable[]): Hole {
  const { operator } = expression;
  const { named, first, separator, reserved } = EXPANSIONS[operator];
  const [variable] = variables as [Variable];
  const spansSegments = reserved || (operator === "/" && variable.explode);
  const stops = new Uint8Array(128);
  if (!spansSegments) stops[SLASH] = 1;
  return {
    expression,
    variable,
    pairs: named || variable.explode ? variablePairs(variables, separator) : undefined,
    // The "#" of {#name} is not part of the fragment section.
    lead: operator === "#" ? "" : first,
    mayBeEmpty: first !== "",
    spansSegments,
    after: "",
    stops,
    delimiter: -1,
    delimiterOffset: 0,
  };
}

const SLASH = 47;
const UNRESERVED_OR_TRIPLET = /^[A-Za-z0-9\-._~%]$/;

/** Whether the expansion of a hole can contain a character, after its lead. */
function mayContain(hole: Hole, char: string): boolean {
  const { operator } = hole.expression;
  if (EXPANSIONS[operator].reserved || UNRESERVED_OR_TRIPLET.test(char)) return true;
  return hole.pairs !== undefined && (char === "=" || char === hole.pairs.separator);
}

/** Determines where a hole ends: at the next literal text, or at the lead of an optional hole before that text. */
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
    if (next.lead === "" || mayContain(hole, next.lead)) throw ambiguousEnd(text, hole, next.lead, next);
    // In {/a}{;b}{/c}, "/x" could be the value of {/a} or of {/c}. In {/a,b} it is the value of a.
    if (next.lead === hole.lead && leads !== "" && !leads.endsWith(hole.lead)) {
      throw ambiguousStart(text, hole, toText(next.expression));
    }
    hole.stops[next.lead.charCodeAt(0)] = 1;
    leads += next.lead;
  }
}

function setDelimiter(text: string, hole: Hole, literal: string, leads: string, next: Hole): void {
  if (literal.charAt(0) === hole.lead) throw ambiguousStart(text, hole, quote(literal));
  let offset = 0;
  while (offset < literal.length && mayContain(hole, literal.charAt(offset))) offset++;
  if (offset === literal.length) throw ambiguousEnd(text, hole, literal, next);
  // In {a}{/b}.x/{c} the "/" that ends {a} could begin {/b}, or follow ".x".
  if (leads.includes(literal.charAt(offset))) throw ambiguousStart(text, hole, quote(literal));
  hole.delimiter = literal.charCodeAt(offset);
  hole.stops[hole.delimiter] = 1;
  hole.delimiterOffset = offset;
}

function ambiguousEnd(text: string, hole: Hole, between: string, next: Hole): TemplateError {
  const [first, second] = [`{${hole.variable.name}}`, `{${next.variable.name}}`];
  const problem =
    between === ""
      ? `${first} and ${second} have nothing between them, so the end of ${first} is ambiguous`
      : `${first} may contain ${quote(between)}, so its end before ${second} is ambiguous`;
  const remedy = hole.spansSegments
    ? `Put only literal text after ${toText(hole.expression)}`
    : `Put "/" between the two`;
  return new TemplateError(text, hole.expression.position, `${problem}. ${remedy}.`);
}

function ambiguousStart(text: string, hole: Hole, following: string): TemplateError {
  const optional = toText(hole.expression);
  const problem = `${following} after ${optional} is ambiguous, because a URI may omit an expression before it`;
  return new TemplateError(text, hole.expression.position, `${problem}. Write /{name}, which is always present.`);
}
