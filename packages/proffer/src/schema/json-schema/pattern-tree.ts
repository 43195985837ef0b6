/** A part of a pattern. */
export type PatternNode =
  | { readonly kind: "set"; readonly token: string }
  | { readonly kind: "assertion"; readonly token: string }
  | { readonly kind: "lookaround"; readonly body: PatternNode; readonly isAhead: boolean; readonly isNegative: boolean }
  | { readonly kind: "sequence" | "choice"; readonly parts: readonly PatternNode[] }
  | { readonly kind: "repeat"; readonly body: PatternNode; readonly min: number; readonly max: number };

const TOKEN =
  /\\(?:[pP]\{[^}]*\}|u\{[^}]*\}|u[dD][89abAB]..\\u[dD][c-fC-F]..|u.{4}|x..|c.|k<[^>]*>|\d+|.)|\[(?:\\.|[^\]\\])*\]|\(\?(?:[:=!]|<[=!]|<[^>]*>|[^)]*)|[*+?]\??|\{\d+,?\d*\}\??|./gsu;
const QUANTIFIER = /^(?:([*+?])|\{(\d+)(,?)(\d*)\})/;

/** Parses a pattern that is valid with the flag `u`. @throws {RangeError} for a part that no automaton can match */
export function parsePattern(source: string): PatternNode {
  const tokens = source.match(TOKEN) ?? [];
  let at = 0;

  function parseChoice(): PatternNode {
    const parts = [parseSequence()];
    while (tokens[at] === "|") {
      at++;
      parts.push(parseSequence());
    }
    return parts.length === 1 ? (parts[0] as PatternNode) : { kind: "choice", parts };
  }

  function parseSequence(): PatternNode {
    const parts: PatternNode[] = [];
    while (at < tokens.length && tokens[at] !== "|" && tokens[at] !== ")") parts.push(parseTerm());
    return { kind: "sequence", parts };
  }

  function parseTerm(): PatternNode {
    const body = parseAtom();
    const [quantifier, sign, low, comma, high] = QUANTIFIER.exec(tokens[at] ?? "") ?? [];
    if (quantifier === undefined) return body;
    at++;
    if (sign !== undefined) {
      return { kind: "repeat", body, min: sign === "+" ? 1 : 0, max: sign === "?" ? 1 : Number.POSITIVE_INFINITY };
    }
    const max = comma === "," && high === "" ? Number.POSITIVE_INFINITY : Number(high || low);
    return { kind: "repeat", body, min: Number(low), max };
  }

  function parseAtom(): PatternNode {
    const token = tokens[at++] ?? "";
    if (/^(?:[$^]|\\[bB])$/.test(token)) return { kind: "assertion", token };
    if (token.startsWith("(")) return parseGroup(token);
    if (/^\\[k1-9]/.test(token)) throw new RangeError(`has the back reference ${token}`);
    return { kind: "set", token };
  }

  function parseGroup(token: string): PatternNode {
    const [, behind, sign] = /^\(\?(<?)([=!])$/.exec(token) ?? [];
    if (sign === undefined && !/^\((?:\?(?::|<.*>))?$/.test(token)) throw new RangeError(`has the group ${token}`);
    const body = parseChoice();
    at++;
    if (sign === undefined) return body;
    return { kind: "lookaround", body, isAhead: behind === "", isNegative: sign === "!" };
  }

  return parseChoice();
}
