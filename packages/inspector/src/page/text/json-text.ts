import { parse } from "./json.ts";

interface ScanError {
  readonly at: number;
  /** Both start at 1. */
  readonly line: number;
  readonly column: number;
  readonly message: string;
}

export interface Scan {
  readonly tokens: readonly Token[];
  /** The first error. The tokens go on after it. */
  readonly error?: ScanError;
  /** Where the caret is: names and positions. */
  readonly path: readonly (string | number)[];
  /** Whether the caret is at the name of a property. */
  readonly inName: boolean;
}

interface Frame {
  readonly isObject: boolean;
  /** The property or item that the scan is in. */
  step: string | number;
}

type Expected = "a value" | "a value or ]" | "a name or }" | "a name" | ":" | ", or }" | ", or ]" | "the end";

/** Scans JSON that may be unfinished: for colors, the place of an error, and the place of the caret. */
export function scanJson(text: string, caret = -1): Scan {
  const tokens: Token[] = [];
  const frames: Frame[] = [];
  let expected = "a value" as Expected;
  let error: ScanError | undefined;
  let path: (string | number)[] | undefined;
  let inName = false;

  function fail(at: number, message: string): void {
    error ??= { at, ...placeOf(text, at), message };
  }

  function noteCaret(end: number): void {
    if (path !== undefined || caret < 0 || caret > end) return;
    path = frames.map(({ step }) => step);
    inName = expected === "a name" || expected === "a name or }" || expected === ":";
  }

  /** Moves on after a value. */
  function finish(): void {
    const frame = frames.at(-1);
    expected = frame === undefined ? "the end" : frame.isObject ? ", or }" : ", or ]";
  }

  function accept(token: Token): boolean {
    const frame = frames.at(-1);
    const char = text.charAt(token.start);
    if (expected.startsWith("a name") && token.kind === "string") {
      const name = text.slice(token.start, token.end);
      if (frame !== undefined) frame.step = (parse(name) as string | undefined) ?? name.slice(1);
      expected = ":";
      return true;
    }
    if (expected === ":" && char === ":") {
      expected = "a value";
      return true;
    }
    if (char === "," && expected.startsWith(",") && frame !== undefined) {
      if (typeof frame.step === "number") frame.step++;
      else frame.step = "";
      expected = frame.isObject ? "a name" : "a value";
      return true;
    }
    if ((char === "}" || char === "]") && expected.endsWith(char)) {
      frames.pop();
      finish();
      return true;
    }
    if (!expected.startsWith("a value")) return false;
    if (char === "{" || char === "[") {
      frames.push({ isObject: char === "{", step: char === "{" ? "" : 0 });
      expected = char === "{" ? "a name or }" : "a value or ]";
      return true;
    }
    if (token.kind === "punctuation") return false;
    finish();
    return true;
  }

  for (let at = 0; ; ) {
    const token = readToken(text, at);
    if (token === undefined) break;
    // The caret before a token is in the value around it; within a token, in the token itself.
    if (caret <= token.start) noteCaret(token.start);
    const isName = expected.startsWith("a name") && token.kind === "string";
    if (token.problem !== undefined) fail(token.start, token.problem);
    if (error === undefined && !accept(token)) fail(token.start, `expected ${expected}`);
    tokens.push(isName ? { ...token, kind: "name" } : token);
    if (!"}]".includes(text.charAt(token.start))) noteCaret(token.end);
    at = token.end;
  }
  noteCaret(text.length);
  if (error === undefined && expected !== "the end") fail(text.length, `expected ${expected}, found the end`);
  return { tokens, path: path ?? [], inName, ...(error !== undefined && { error }) };
}

function placeOf(text: string, at: number): { line: number; column: number } {
  const before = text.slice(0, at);
  const lastBreak = before.lastIndexOf("\n");
  return { line: before.split("\n").length, column: at - lastBreak };
}

interface Token {
  readonly kind: "name" | "string" | "number" | "word" | "punctuation";
  readonly start: number;
  readonly end: number;
  /** Why it is not JSON. */
  readonly problem?: string;
}

const SPACE = /[ \t\n\r]*/y;
const STRING = /"(?:[^"\\\n]|\\[^\n])*"?/y;
const WORD = /[^\s{}[\]:,"]+/y;
const NUMBER = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/;
const CLOSED = /^"(?:[^"\\]|\\.)*"$/;
// biome-ignore lint/suspicious/noControlCharactersInRegex: JSON forbids them in strings
const VALID = /^"(?:[^"\\\u0000-\u001f]|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*"$/;

/** Reads the next token of a text that should be JSON; undefined at the end. */
function readToken(text: string, from: number): Token | undefined {
  const start = endOf(SPACE, text, from) ?? from;
  if (start >= text.length) return undefined;
  const char = text.charAt(start);
  if ("{}[]:,".includes(char)) return { kind: "punctuation", start, end: start + 1 };
  if (char === '"') return readString(text, start);
  const end = endOf(WORD, text, start) ?? start + 1;
  const word = text.slice(start, end);
  if (NUMBER.test(word)) return { kind: "number", start, end };
  if (word === "true" || word === "false" || word === "null") return { kind: "word", start, end };
  const isNumber = /^[-+.\d]/.test(word);
  const problem = isNumber
    ? "this is not a number of JSON"
    : `expected a value, found ${JSON.stringify(word.slice(0, 30))}`;
  return { kind: isNumber ? "number" : "word", start, end, problem };
}

function readString(text: string, start: number): Token {
  const end = endOf(STRING, text, start) ?? start + 1;
  const source = text.slice(start, end);
  if (!CLOSED.test(source)) return { kind: "string", start, end, problem: 'this text has no end: add "' };
  if (VALID.test(source)) return { kind: "string", start, end };
  return { kind: "string", start, end, problem: "this text has an escape that JSON does not know" };
}

function endOf(pattern: RegExp, text: string, from: number): number | undefined {
  pattern.lastIndex = from;
  return pattern.test(text) ? pattern.lastIndex : undefined;
}

/** An edit of a text: a replacement, and the place of the caret after it. */
export interface TextEdit {
  readonly start: number;
  readonly end: number;
  readonly text: string;
  readonly caret: number;
}

const INDENT = "  ";

/** A new line with the indent of the line before, one level more after an opening bracket. */
export function lineBreak(text: string, start: number, end: number): TextEdit {
  const lineStart = text.lastIndexOf("\n", start - 1) + 1;
  const indent = /^[ \t]*/.exec(text.slice(lineStart, start))?.[0] ?? "";
  const opens = /[{[]\s*$/.test(text.slice(lineStart, start));
  const closes = /^[ \t]*[}\]]/.test(text.slice(end));
  const inner = `\n${indent}${opens ? INDENT : ""}`;
  return { start, end, text: opens && closes ? `${inner}\n${indent}` : inner, caret: start + inner.length };
}

/** Indents the lines of a selection, or unindents them. */
export function indent(text: string, start: number, end: number, back: boolean): TextEdit {
  if (start === end && !back) return { start, end, text: INDENT, caret: start + INDENT.length };
  const lineStart = text.lastIndexOf("\n", start - 1) + 1;
  const lines = text.slice(lineStart, end).split("\n");
  const changed = lines.map((line) => (back ? line.replace(/^ {1,2}|^\t/, "") : INDENT + line)).join("\n");
  return { start: lineStart, end, text: changed, caret: Math.max(lineStart, end + changed.length - (end - lineStart)) };
}

/** The position of the bracket that belongs to the one beside the caret, and that one. */
export function matchingBrackets(
  tokens: readonly { start: number; end: number }[],
  text: string,
  caret: number,
): number[] {
  const open: number[] = [];
  for (const { start, end } of tokens) {
    if (end !== start + 1) continue;
    const char = text.charAt(start);
    if (char === "{" || char === "[") open.push(start);
    if (char !== "}" && char !== "]") continue;
    const partner = open.pop();
    if (partner === undefined || text.charAt(partner) !== (char === "}" ? "{" : "[")) continue;
    if (touches(partner, caret) || touches(start, caret)) return [partner, start];
  }
  return [];
}

function touches(bracket: number, caret: number): boolean {
  return caret === bracket || caret === bracket + 1;
}

/** A piece of a message that is written with line ends: text, a long string, or a `_meta` that is folded at first. */
export interface Piece {
  readonly kind: "text" | "long" | "meta";
  readonly text: string;
}

/** Longer strings are cut at first. */
export const MAX_SHOWN = 2048;

const PARTS = /\s+|"(?:[^"\\]|\\.)*"|[{}[\],:]|[^\s"{}[\],:]+/gs;

/**
 * Writes JSON with line ends and indentation. It works on the text, not on its value: duplicate keys, the order of members
 * and the digits of numbers stay as they are on the wire. Undefined if the text is not JSON.
 */
export function prettyPieces(text: string): readonly Piece[] | undefined {
  if (parse(text) === undefined) return undefined;
  const pieces: Piece[] = [];
  let line = "";
  let depth = 0;
  // The depth at which a `_meta` began, and its text so far.
  let meta: { readonly depth: number; text: string } | undefined;
  let previous = "";

  function write(part: string): void {
    if (meta === undefined) line += part;
    else meta.text += part;
  }
  function flush(piece?: Piece): void {
    if (line !== "") pieces.push({ kind: "text", text: line });
    line = "";
    if (piece) pieces.push(piece);
  }
  const indent = () => `\n${"  ".repeat(depth)}`;

  for (const [token] of text.matchAll(PARTS)) {
    if (/^\s/.test(token)) continue;
    const opens = token === "{" || token === "[";
    const closes = token === "}" || token === "]";
    const startsMeta = meta === undefined && opens && previous === '"_meta":';
    if (closes) {
      depth -= 1;
      if (previous !== "{" && previous !== "[") write(indent());
    } else if ((previous === "{" || previous === "[" || previous === ",") && token !== ":") write(indent());
    if (startsMeta) meta = { depth, text: "" };
    if (opens) depth += 1;
    if (token.length > MAX_SHOWN && meta === undefined) flush({ kind: "long", text: token });
    else write(token === ":" ? ": " : token);
    if (closes && meta?.depth === depth) {
      const { text: folded } = meta;
      meta = undefined;
      flush({ kind: "meta", text: folded });
    }
    previous = token === ":" ? `${previous}:` : token;
  }
  flush();
  return pieces;
}
