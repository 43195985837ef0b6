import { type Pairs, queryPairs, variablePairs } from "./pairs.ts";
import { EXPANSIONS, type Expression, type Part, quote, TemplateError, toText, type Variable } from "./parse.ts";

/** A template that is prepared for matching. */
export interface Pattern {
  readonly path: PathPattern;
  readonly query: Pairs;
  /** Without one, the template does not match URIs with a fragment. */
  readonly fragment: PathPattern | undefined;
  /** Whether a URI may omit the fragment, as with `{#name}`. */
  readonly fragmentOptional: boolean;
}

/** A path or a fragment, which is read from left to right without backtracking. */
export interface PathPattern {
  /** The literal text before the first slot. */
  readonly prefix: string;
  readonly slots: readonly Slot[];
  /** The literal text after the last slot. */
  readonly suffix: string;
}

/** A place in a path for a variable, or for several variables as `;key=value` pairs. */
export interface Slot {
  readonly expression: Expression;
  /** The variable that receives the text; for `{;…}`, and for `{&…}` outside a query, the first one. */
  readonly variable: Variable;
  /** The `key=value` pairs of `{;…}`, or of an exploded variable that is a map. */
  readonly pairs: Pairs | undefined;
  /** The character that precedes the value, if a URI may omit the slot; "" for a required slot. */
  readonly lead: string;
  readonly mayBeEmpty: boolean;
  /** Whether the text of the slot may contain "/". */
  readonly spansSegments: boolean;
  /** The literal text between this slot and the next. */
  after: string;
  /** By character code: 1 for the characters that end the slot. */
  readonly stops: Uint8Array;
  /** The first character of the literal text after the slot that the slot cannot contain. */
  delimiter: number;
  /** The position of the delimiter in that literal text. */
  delimiterOffset: number;
}

/** Prepares a template for matching. @throws {TemplateError} if it is ambiguous. */
export function toPattern(text: string, parts: readonly Part[]): Pattern {
  checkRepeats(text, parts);
  const components = splitComponents(text, parts);
  const fragmentOptional = hasOptionalFragment(text, components);
  return {
    path: toPathPattern(text, components.path),
    query: queryPairs(text, components.query ?? []),
    fragment: components.fragment && toPathPattern(text, components.fragment),
    fragmentOptional,
  };
}

/** Returns the pattern of a URI without variables; its characters are not checked. */
export function literalPattern(uri: string): Pattern {
  const path = { prefix: uri, slots: [], suffix: "" };
  return { path, query: queryPairs(uri, []), fragment: undefined, fragmentOptional: false };
}

function checkRepeats(text: string, parts: readonly Part[]): void {
  const names = new Set<string>();
  for (const part of parts) {
    if (typeof part === "string") continue;
    for (const { name } of part.variables) {
      if (names.has(name)) {
        throw new TemplateError(
          text,
          part.position,
          `{${name}} occurs twice, so a URI could contain two values for it. Use each variable once.`,
        );
      }
      names.add(name);
    }
  }
}

function hasOptionalFragment(text: string, components: Components): boolean {
  const [first, second] = components.fragment ?? [];
  if (first === undefined || typeof first === "string" || first.operator !== "#") return false;
  // Without a value there is no "#", and any text after the expression would be part of the path.
  if (second === undefined) return true;
  throw new TemplateError(text, first.position, "nothing may follow {#…}. Put it last, or write #{…}.");
}

/** A template split into the components of RFC 3986. No component contains the "?" or "#" that begins it. */
interface Components {
  readonly path: Part[];
  query?: Part[];
  fragment?: Part[];
}

/** Splits a template into path, query and fragment. @throws {TemplateError} if a component would begin twice. */
function splitComponents(text: string, parts: readonly Part[]): Components {
  const components: Components = { path: [] };
  for (const part of parts) {
    if (typeof part === "string") {
      addLiteral(components, part);
      continue;
    }
    if (part.operator === "?") {
      if (components.query !== undefined || components.fragment !== undefined) {
        throw new TemplateError(
          text,
          part.position,
          `${toText(part)} cannot begin a query here. Use {&…} after a "?".`,
        );
      }
      components.query = [];
    }
    if (part.operator === "#") {
      if (components.fragment !== undefined) {
        throw new TemplateError(text, part.position, `${toText(part)} begins a second fragment. Use {+…} after a "#".`);
      }
      components.fragment = [];
    }
    last(components).push(part);
  }
  return components;
}

function addLiteral(components: Components, literal: string): void {
  let rest = literal;
  const hash = rest.indexOf("#");
  const question = rest.indexOf("?");
  const beginsQuery = question !== -1 && (hash === -1 || question < hash);
  if (components.query === undefined && components.fragment === undefined && beginsQuery) {
    addText(components.path, rest.slice(0, question));
    components.query = [];
    rest = rest.slice(question + 1);
  }
  const end = components.fragment === undefined ? rest.indexOf("#") : -1;
  if (end !== -1) {
    addText(last(components), rest.slice(0, end));
    components.fragment = [];
    rest = rest.slice(end + 1);
  }
  addText(last(components), rest);
}

function addText(parts: Part[], text: string): void {
  if (text !== "") parts.push(text);
}

function last(components: Components): Part[] {
  return components.fragment ?? components.query ?? components.path;
}

/** Prepares a path. @throws {TemplateError} if it is ambiguous. */
function toPathPattern(text: string, parts: readonly Part[]): PathPattern {
  let prefix = "";
  const slots: Slot[] = [];
  for (const part of parts) {
    const before = slots.at(-1);
    if (typeof part !== "string") slots.push(...toSlots(part));
    else if (before === undefined) prefix += part;
    else before.after += part;
  }
  const end = slots.at(-1);
  const suffix = end?.after ?? "";
  // The suffix is matched against the end of the URI first, so it does not delimit the last slot.
  if (end !== undefined) end.after = "";
  for (const index of slots.keys()) setEnd(text, slots, index);
  return { prefix, slots, suffix };
}

function toSlots(expression: Expression): Slot[] {
  const { operator, variables } = expression;
  const { named, separator } = EXPANSIONS[operator];
  if (named) return [createSlot(expression, variables)];
  const slots = variables.map((variable) => createSlot(expression, [variable]));
  // {a,b} reads like {a},{b}. In {/a,b} each value has its own lead.
  if (separator === ",") {
    for (const slot of slots.slice(0, -1)) slot.after = ",";
  }
  return slots;
}

function createSlot(expression: Expression, variables: readonly Variable[]): Slot {
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
    // The "#" of {#name} is not part of the fragment component.
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

/** Whether the expansion of a slot can contain a character, after its lead. */
function mayContain(slot: Slot, char: string): boolean {
  const { operator } = slot.expression;
  if (EXPANSIONS[operator].reserved || UNRESERVED_OR_TRIPLET.test(char)) return true;
  return slot.pairs !== undefined && (char === "=" || char === slot.pairs.separator);
}

/** Determines where a slot ends: at the next literal text, or at the lead of an optional slot before that text. */
function setEnd(text: string, slots: readonly Slot[], index: number): void {
  const slot = slots[index] as Slot;
  let leads = "";
  for (let at = index; at < slots.length; at++) {
    const literal = slots[at]?.after ?? "";
    const next = slots[at + 1];
    if (next === undefined) return;
    if (literal !== "") {
      setDelimiter(text, slot, literal, leads, next);
      return;
    }
    if (next.lead === "" || mayContain(slot, next.lead)) throw ambiguousEnd(text, slot, next.lead, next);
    // In {/a}{;b}{/c}, "/x" could be the value of {/a} or of {/c}. In {/a,b} it is the value of a.
    if (next.lead === slot.lead && leads !== "" && !leads.endsWith(slot.lead)) {
      throw ambiguousStart(text, slot, toText(next.expression));
    }
    slot.stops[next.lead.charCodeAt(0)] = 1;
    leads += next.lead;
  }
}

function setDelimiter(text: string, slot: Slot, literal: string, leads: string, next: Slot): void {
  if (literal.charAt(0) === slot.lead) throw ambiguousStart(text, slot, quote(literal));
  let offset = 0;
  while (offset < literal.length && mayContain(slot, literal.charAt(offset))) offset++;
  if (offset === literal.length) throw ambiguousEnd(text, slot, literal, next);
  // In {a}{/b}.x/{c} the "/" that ends {a} could begin {/b}, or follow ".x".
  if (leads.includes(literal.charAt(offset))) throw ambiguousStart(text, slot, quote(literal));
  slot.delimiter = literal.charCodeAt(offset);
  slot.stops[slot.delimiter] = 1;
  slot.delimiterOffset = offset;
}

function ambiguousEnd(text: string, slot: Slot, between: string, next: Slot): TemplateError {
  const [first, second] = [`{${slot.variable.name}}`, `{${next.variable.name}}`];
  const problem =
    between === ""
      ? `${first} and ${second} have nothing between them, so the end of ${first} is ambiguous`
      : `${first} may contain ${quote(between)}, so its end before ${second} is ambiguous`;
  const remedy = slot.spansSegments
    ? `Put only literal text after ${toText(slot.expression)}`
    : `Put "/" between the two`;
  return new TemplateError(text, slot.expression.position, `${problem}. ${remedy}.`);
}

function ambiguousStart(text: string, slot: Slot, following: string): TemplateError {
  const optional = toText(slot.expression);
  const problem = `${following} after ${optional} is ambiguous, because a URI may omit an expression before it`;
  return new TemplateError(text, slot.expression.position, `${problem}. Write /{name}, which is always present.`);
}
