import ts from "typescript";
import type { Diagnostic } from "../model/diagnostics.ts";
import type { Snapshot } from "../program/project.ts";
import type { FunctionContent } from "./describe.ts";
import type { Session } from "./session.ts";
import { Surface } from "./surface.ts";

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
