/** A piece of a message that is written with line ends: text, a long string, or a `_meta` that is folded at first. */
export interface Piece {
  readonly kind: "text" | "long" | "meta";
  readonly text: string;
}

/** Longer strings are cut until someone wants to see all. */
export const MAX_SHOWN = 2048;

const TOKEN = /\s+|"(?:[^"\\]|\\.)*"|[{}[\],:]|[^\s"{}[\],:]+/gs;

/**
 * Writes JSON with line ends and indentation. It works on the text, not on its value: duplicate keys, the order of members
 * and the digits of numbers stay as they are on the wire. Undefined if the text is not JSON.
 */
export function prettyPieces(text: string): readonly Piece[] | undefined {
  try {
    JSON.parse(text);
  } catch {
    return undefined;
  }
  const pieces: Piece[] = [];
  let line = "";
  let depth = 0;
  // The depth at which a `_meta` began, and what was written of it.
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

  for (const [token] of text.matchAll(TOKEN)) {
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
