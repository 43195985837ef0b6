import { readToken, type Token } from "./token.ts";

export interface ScanError {
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
      if (frame !== undefined) frame.step = nameOf(text.slice(token.start, token.end));
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
    // The caret before a token is in what surrounds it; within a token, in the token itself.
    if (caret <= token.start) noteCaret(token.start);
    const isName = expected.startsWith("a name") && token.kind === "string";
    if (token.problem !== undefined) fail(token.start, token.problem);
    if (error === undefined && !accept(token)) fail(token.start, `expected ${expected}`);
    tokens.push(isName ? { ...token, kind: "name" } : token);
    if (token.kind !== "punctuation" || !isClosing(text, token)) noteCaret(token.end);
    at = token.end;
  }
  noteCaret(text.length);
  if (error === undefined && expected !== "the end") fail(text.length, `expected ${expected}, found the end`);
  return { tokens, path: path ?? [], inName, ...(error !== undefined && { error }) };
}

function isClosing(text: string, token: Token): boolean {
  return "}]".includes(text.charAt(token.start));
}

function nameOf(source: string): string {
  try {
    return JSON.parse(source) as string;
  } catch {
    return source.slice(1);
  }
}

function placeOf(text: string, at: number): { line: number; column: number } {
  const before = text.slice(0, at);
  const lastBreak = before.lastIndexOf("\n");
  return { line: before.split("\n").length, column: at - lastBreak };
}
