import ts from "typescript";
import type { Diagnostic } from "../model/diagnostics.ts";
import type { Snapshot } from "../program/project.ts";
import { isJavaScript } from "../types/type-node.ts";
import type { FunctionContent } from "./describe.ts";
import type { Session } from "./session.ts";

/** Everything that the description of the functions depends on. */
interface Inputs {
  readonly configuration: object;
  readonly resolutions: number;
  readonly libraries: readonly ts.SourceFile[];
  /** The author's files, by name. */
  readonly surfaces: ReadonlyMap<string, Surface>;
}

interface Described {
  readonly inputs: Inputs;
  readonly content: FunctionContent;
  readonly diagnostics: readonly Diagnostic[];
}

/**
 * The description of a module's functions, kept for the next derivation. Most edits change only bodies, and no type. The
 * description is kept as a whole: a type is converted for the first function that uses it, whose name is in messages.
 */
export class DescriptionMemo {
  #last: Described | undefined;
  #inputs: Inputs | undefined;

  /** Reads the inputs of a derivation. `files` are the author's. */
  open({ program, configuration, resolutions }: Snapshot, files: readonly ts.SourceFile[]): void {
    // Questions and codecs can be in any body, and share types with the functions.
    const isAnywhere = files.some(({ text, isDeclarationFile }) => {
      return !isDeclarationFile && /\b(?:ask|defineCodec)\b/.test(text);
    });
    const own = new Set(files);
    const libraries = program.getSourceFiles().filter((file) => !own.has(file));
    const surfaces = new Map(files.map((file) => [file.fileName, this.#surfaceOf(file)] as const));
    this.#inputs = isAnywhere ? undefined : { configuration, resolutions, libraries, surfaces };
  }

  /** Returns the last description with its diagnostics if its inputs are the same; otherwise calls `describe`. */
  describe(session: Session, describe: () => FunctionContent): FunctionContent {
    const inputs = this.#inputs;
    const last = this.#last;
    const moved = inputs && last && isSame(inputs, last.inputs) ? moveAll(last, inputs) : undefined;
    const before = session.diagnostics.length;
    if (moved) session.diagnostics.push(...moved);
    const content = moved && last ? last.content : describe();
    const diagnostics = session.diagnostics.slice(before).map((each) => ({ ...each }));
    this.#last = inputs && { inputs, content, diagnostics };
    return content;
  }

  #surfaceOf(file: ts.SourceFile): Surface {
    const known = this.#last?.inputs.surfaces.get(file.fileName);
    return known?.file === file ? known : new Surface(file);
  }
}

function isSame(one: Inputs, other: Inputs): boolean {
  if (one.configuration !== other.configuration || one.resolutions !== other.resolutions) return false;
  if (one.libraries.length !== other.libraries.length || one.surfaces.size !== other.surfaces.size) return false;
  if (!one.libraries.every((file, index) => file === other.libraries[index])) return false;
  return [...one.surfaces].every(([name, { text }]) => other.surfaces.get(name)?.text === text);
}

/** Returns the diagnostics at their new places; undefined if a place is in a body. */
function moveAll({ inputs, diagnostics }: Described, to: Inputs): Diagnostic[] | undefined {
  const moved: Diagnostic[] = [];
  for (const diagnostic of diagnostics) {
    const { file, line, column } = diagnostic;
    const from = inputs.surfaces.get(file);
    const target = to.surfaces.get(file);
    if (from === undefined || target === undefined) {
      moved.push({ ...diagnostic });
      continue;
    }
    const offset = from.offsetOf(from.file.getPositionOfLineAndCharacter(line - 1, column - 1));
    if (offset === undefined) return undefined;
    const place = ts.getLineAndCharacterOfPosition(target.file, target.positionOf(offset));
    moved.push({ ...diagnostic, line: place.line + 1, column: place.character + 1 });
  }
  return moved;
}

/**
 * The text of a file without the bodies of functions that declare their return type, and without empty lines and other
 * comments before statements and documentation comments. Nothing else depends on them, so files with the same surface
 * declare the same types and have the same documentation.
 */
class Surface {
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
