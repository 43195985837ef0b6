import ts from "typescript";
import { isJavaScript } from "../types/type-node.ts";

/**
 * The text of a file without the bodies of functions that declare their return type, and without empty lines and other
 * comments before statements and documentation comments. Nothing else depends on them, so files with the same surface
 * declare the same types and have the same documentation.
 */
export class Surface {
  readonly file: ts.SourceFile;
  /** The parts of the text, with a separator that source text does not have. */
  readonly text: string;
  /** The ranges of the file that the text does not have, in order. */
  readonly #skipped: readonly ts.TextRange[];

  constructor(file: ts.SourceFile) {
    // In JavaScript, assignments within a body can declare properties.
    this.#skipped = file.isDeclarationFile || isJavaScript(file) ? [] : skippedIn(file);
    const kept: string[] = [];
    let at = 0;
    for (const { pos, end } of this.#skipped) {
      kept.push(file.text.slice(at, pos));
      at = end;
    }
    this.file = file;
    this.text = [...kept, file.text.slice(at)].join("\0");
  }

  /** Returns the offset in the parts of a position in the file; undefined in a range that they do not have. */
  offsetOf(position: number): number | undefined {
    let skipped = 0;
    for (const { pos, end } of this.#skipped) {
      if (position < pos) break;
      if (position < end) return undefined;
      skipped += end - pos;
    }
    return position - skipped;
  }

  /** Returns the position in the file of an offset in the parts. */
  positionOf(offset: number): number {
    let position = offset;
    for (const { pos, end } of this.#skipped) {
      if (position < pos) break;
      position += end - pos;
    }
    return position;
  }
}

/** Returns the ranges of a file that no type and no documentation depends on. */
function skippedIn(file: ts.SourceFile): ts.TextRange[] {
  const found: ts.TextRange[] = [];
  function visit(node: ts.Node): void {
    const body = typedBody(node);
    ts.forEachChild(node, (child) => {
      if (child !== body) visit(child);
    });
    if (body === undefined) return;
    const range = { pos: body.getStart(file) + 1, end: body.end - 1 };
    // A companion may be anywhere, and describes a function of the module.
    if (!/\bcompanion\b/.test(file.text.slice(range.pos, range.end))) found.push(range);
  }
  for (const statement of [...file.statements, file.endOfFileToken]) {
    const gap = gapBefore(file, statement);
    if (gap) found.push(gap);
    visit(statement);
  }
  return found;
}

/** Returns the range before a statement, or before its first documentation comment. The start of a file may have directives. */
function gapBefore(file: ts.SourceFile, statement: ts.Node): ts.TextRange | undefined {
  const { text } = file;
  const { pos } = statement;
  if (pos === 0) return undefined;
  const comments = [
    ...(ts.getTrailingCommentRanges(text, pos) ?? []),
    ...(ts.getLeadingCommentRanges(text, pos) ?? []),
  ];
  const first = comments.find((comment) => text.startsWith("/**", comment.pos));
  const end = first?.pos ?? statement.getStart(file);
  // A comment on the line of the previous statement belongs to that statement.
  return first && !text.slice(pos, end).includes("\n") ? undefined : { pos, end };
}

/** Returns the body of a function that declares its return type. A constructor can declare the types of properties. */
function typedBody(node: ts.Node): ts.Block | undefined {
  const isFunction =
    ts.isFunctionDeclaration(node) ||
    ts.isFunctionExpression(node) ||
    ts.isArrowFunction(node) ||
    ts.isMethodDeclaration(node);
  return isFunction && node.type && node.body && ts.isBlock(node.body) ? node.body : undefined;
}
