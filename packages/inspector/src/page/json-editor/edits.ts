/** An edit of a text: what to replace, and where the caret is then. */
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
