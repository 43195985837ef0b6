import type { ItemPositions } from "../derive/index.ts";
import { findProject } from "../modules/module-file.ts";
import { ApiProblem } from "./api-problem.ts";
import type { Places } from "./connections/offer.ts";
import { EditorError, openEditor } from "./editor.ts";
import type { SourceView } from "./protocol/api.ts";
import type { ItemKind, Place } from "./protocol/offer.ts";
import { toFileNames } from "./source/file-names.ts";
import { toSourceView } from "./source/source-view.ts";

/** The code of a module: its files, and where its items come from. */
export class ModuleSource implements Places {
  /** The folder that the names of files are relative to. */
  readonly project: string;
  #files: readonly string[];
  #positions: readonly ItemPositions[] = [];

  /** @param module - an absolute path. */
  constructor(module: string) {
    this.project = findProject(module);
    this.#files = [module];
  }

  /** Takes over what is known of another version. */
  update(files: readonly string[], positions: readonly ItemPositions[]): void {
    this.#files = files;
    this.#positions = positions;
  }

  files(): readonly string[] {
    return toFileNames(this.#files, this.project);
  }

  placeOf(kind: ItemKind, key: string): Place | undefined {
    const range = this.#find(kind, key)?.places.find(({ pointer }) => pointer === "")?.range;
    const file = range === undefined ? undefined : this.indexOf(range.file);
    return range === undefined || file === undefined ? undefined : { file, line: range.line, column: range.column };
  }

  indexOf(file: string): number | undefined {
    const index = this.#files.indexOf(file);
    return index === -1 ? undefined : index;
  }

  /** @throws {ApiProblem} if the code of the item was not found. */
  view(kind: ItemKind, key: string): SourceView {
    const found = this.#find(kind, key);
    if (found !== undefined) return toSourceView(found, this.#files);
    throw new ApiProblem(404, "no_source", `The code of this ${kind} was not found.`);
  }

  /** Opens the author's editor. @throws {ApiProblem} if there is none, or no such file. */
  async open(place: Place): Promise<Record<never, never>> {
    try {
      await openEditor(place, this.#files);
      return {};
    } catch (error) {
      if (error instanceof EditorError) throw new ApiProblem(400, "no_editor", error.message);
      throw error;
    }
  }

  #find(kind: ItemKind, key: string): ItemPositions | undefined {
    // Code has resources only; lists have templates too.
    const own = kind === "template" ? "resource" : kind;
    return this.#positions.find((each) => each.kind === own && each.key === key);
  }
}
