/** A token of Lua source. */
export interface Token {
  /** A name is any word, including keywords and numbers. */
  readonly kind: "name" | "string" | "symbol";
  /** For a string, its value. */
  readonly text: string;
}

const SPACE = /\s+/y;
const WORD = /\w+/y;
/** A comment or string in long brackets: [[…]], [=[…]=]. */
const LONG = /\[(=*)\[\r?\n?/y;
const LINE = /[^\n]*/y;
const QUOTED = /"[^"\\\n]*(?:\\[\s\S][^"\\\n]*)*"?|'[^'\\\n]*(?:\\[\s\S][^'\\\n]*)*'?/y;
const ESCAPES: { readonly [letter: string]: string } = { n: "\n", r: "\r", t: "\t" };

/** The tokens of Lua source without comments. Runs in linear time on any input. */
export function* luaTokens(source: string): Generator<Token> {
  let at = 0;
  function take(pattern: RegExp): RegExpExecArray | null {
    pattern.lastIndex = at;
    const found = pattern.exec(source);
    if (found !== null) at = pattern.lastIndex;
    return found;
  }
  /** The text up to the closing long bracket, or to the end of the source. */
  function takeLong(level: string): string {
    const start = at;
    const end = source.indexOf(`]${level}]`, at);
    at = end === -1 ? source.length : end + level.length + 2;
    return source.slice(start, end === -1 ? source.length : end);
  }
  while (at < source.length) {
    if (take(SPACE)) continue;
    if (source.startsWith("--", at)) {
      at += 2;
      const long = take(LONG);
      if (long === null) take(LINE);
      else takeLong(long[1] ?? "");
      continue;
    }
    const word = take(WORD);
    if (word !== null) {
      yield { kind: "name", text: word[0] };
      continue;
    }
    const quoted = take(QUOTED);
    if (quoted !== null) {
      yield { kind: "string", text: unquote(quoted[0]) };
      continue;
    }
    const long = take(LONG);
    if (long !== null) {
      yield { kind: "string", text: takeLong(long[1] ?? "") };
      continue;
    }
    const text = source.startsWith("..", at) ? ".." : (source[at] ?? "");
    at += text.length;
    yield { kind: "symbol", text };
  }
}

/** The value of a quoted string. Numeric escapes are kept: descriptions do not use them. */
function unquote(quoted: string): string {
  const closed = quoted.length > 1 && quoted.endsWith(quoted[0] ?? "");
  const inside = quoted.slice(1, closed ? -1 : undefined);
  return inside.replace(/\\([^0-9xuz])/g, (_, letter: string) => ESCAPES[letter] ?? letter);
}
