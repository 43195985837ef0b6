export interface Token {
  readonly kind: "name" | "string" | "number" | "word" | "punctuation";
  readonly start: number;
  readonly end: number;
  /** What is wrong with it. */
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
export function readToken(text: string, from: number): Token | undefined {
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
  const isValid = VALID.test(source);
  return {
    kind: "string",
    start,
    end,
    ...(!isValid && { problem: "this text has an escape that JSON does not know" }),
  };
}

function endOf(pattern: RegExp, text: string, from: number): number | undefined {
  pattern.lastIndex = from;
  return pattern.test(text) ? pattern.lastIndex : undefined;
}
