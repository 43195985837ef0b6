import type { Diagnostic, ItemPositions, ItemSource } from "../derive/index.ts";
import { deriveModule } from "../modules/derive-module.ts";
import { findBuiltFolder } from "../modules/module-file.ts";

/** What the code of a module adds to its lists. */
export interface ReadCode {
  readonly diagnostics: readonly Diagnostic[];
  readonly sources: readonly ItemSource[];
}

/** The code of a module, with what the inspector shows of it. */
export interface SourceCode extends ReadCode {
  /** The files of the author, absolute. */
  readonly files: readonly string[];
  /** Where the parts of the items come from. */
  positions(): readonly ItemPositions[];
}

/** A note of derivation is a finding of its own, and so is a missing comment. */
const REVIEWED = new Set(["PF2001"]);

/** Reads the code of a module. A built folder has none. */
export async function readCode(file: string): Promise<SourceCode> {
  if (findBuiltFolder(file) !== undefined) return { diagnostics: [], sources: [], files: [], positions: () => [] };
  const { derivation, deriver } = await deriveModule(file);
  const { diagnostics, files } = derivation;
  const shown = diagnostics.filter(({ severity, code }) => severity !== "note" && !REVIEWED.has(code));
  return { diagnostics: shown, sources: deriver.sources(), files, positions: () => deriver.positions() };
}
