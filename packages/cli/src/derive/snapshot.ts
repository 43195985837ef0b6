import { basename, extname, join } from "node:path";
import type ts from "typescript";
import { moduleDoc } from "./comments/docs.ts";
import type { EmitSource } from "./emit/emit.ts";
import { findQuestions } from "./exports/ask.ts";
import { CodecFinder } from "./exports/codecs.ts";
import { Companions } from "./exports/companions.ts";
import { describeModule } from "./exports/describe.ts";
import type { DescriptionMemo } from "./exports/description-memo.ts";
import { checkOtherTags } from "./exports/function-tags.ts";
import { findPositions } from "./exports/positions.ts";
import { locate, openSession, type Session } from "./exports/session.ts";
import { findSettings } from "./exports/settings.ts";
import { findSources } from "./exports/sources.ts";
import type { Derivation, DerivedQuestion } from "./model/description.ts";
import { DIAGNOSTICS, type Diagnostic } from "./model/diagnostics.ts";
import type { ItemSource, Place } from "./model/item-source.ts";
import type { ItemPositions } from "./model/positions.ts";
import { fromCompiler } from "./program/compiler-errors.ts";
import { isProjectFile } from "./program/origin.ts";
import { createPackageFinder, type FindPackage, type PackageInfo } from "./program/packages.ts";
import type { Snapshot } from "./program/project.ts";
import type { System } from "./program/system.ts";

/** The parts of the emission of a module with syntax errors. */
const NOTHING = { questions: new Map(), settings: new Map(), codecs: [] };

/** Describes a module in a snapshot of its program. Also returns the files to emit. */
export function describeSnapshot(
  entry: string,
  snapshot: Snapshot,
  check: boolean,
  memo: DescriptionMemo,
): { derivation: Derivation; source: EmitSource } {
  const { program, configuration, described, system } = snapshot;
  const packageOf = createPackageFinder(system);
  const files = program.getSourceFiles().filter((file) => isProjectFile(program, file, packageOf));
  const session = openSession(program, packageOf);
  const empty: Derivation = {
    ...emptyDerivation(entry, packageOf),
    files: inputsOf(files, configuration.files, packageOf(entry)),
  };
  const source = { program, entry, files };

  // A file with syntax errors cannot be described.
  const syntax = files.flatMap((file) => program.getSyntacticDiagnostics(file));
  const early = [...fromCompiler(configuration.errors, entry), ...fromCompiler(syntax, entry)];
  if (syntax.length > 0 || described === undefined) {
    return { derivation: { ...empty, diagnostics: early }, source: { ...source, ...NOTHING } };
  }

  const about = moduleDoc(described);
  checkOtherTags(session, "the module", described, "module", about);
  const codecs = new CodecFinder(session, files, program.getSourceFile(entry));
  memo.open(snapshot, files);
  const content = describeModule(session, described, new Companions(session, files), memo);
  const questions = findQuestions(session, files);
  const { calls, settings } = findSettings(session, files);
  const located = [...questions].map(([node, schema]): DerivedQuestion => ({ ...locate(node), schema }));
  const errors = check ? files.flatMap((file) => program.getSemanticDiagnostics(file)) : [];
  const semantic = fromCompiler(errors, entry, configuration.lenient ? "warning" : "error");
  const inOrder = (a: Place, b: Place) => compare(entry, a, b);
  const derivation: Derivation = {
    ...empty,
    ...content,
    server: { ...empty.server, ...(about?.text && { instructions: about.text }) },
    ...(settings && { settings }),
    questions: located.sort(inOrder),
    diagnostics: [...early, ...session.diagnostics, ...semantic].sort(inOrder),
  };
  return { derivation, source: { ...source, questions, settings: calls, codecs: codecs.added() } };
}

/** Finds the code of the items of a module. */
export function findItemSources(entry: string, snapshot: Snapshot): ItemSource[] {
  const { described } = snapshot;
  if (described === undefined) return [];
  const { session, files } = openFiles(snapshot);
  return findSources(session, described, files).sort((a, b) => compare(entry, a, b));
}

/** Finds where the parts of the items of a derivation come from. */
export function findItemPositions(snapshot: Snapshot, derivation: Derivation): ItemPositions[] {
  const { described } = snapshot;
  if (described === undefined) return [];
  const { session, files } = openFiles(snapshot);
  return findPositions(session, described, files, derivation);
}

function openFiles({ program, system }: Snapshot): { session: Session; files: ts.SourceFile[] } {
  const packageOf = createPackageFinder(system);
  const files = program.getSourceFiles().filter((file) => isProjectFile(program, file, packageOf));
  return { session: openSession(program, packageOf), files };
}

/** Describes a module that does not exist. */
export function describeMissing(entry: string, system: System): Derivation {
  const { severity } = DIAGNOSTICS.PF1001;
  const message = `The module ${entry} does not exist. Check the path.`;
  const diagnostics: Diagnostic[] = [{ code: "PF1001", severity, file: entry, line: 1, column: 1, message }];
  return { ...emptyDerivation(entry, createPackageFinder(system)), diagnostics, files: [entry] };
}

function emptyDerivation(entry: string, packageOf: FindPackage): Derivation {
  const { name, version } = packageOf(entry) ?? { name: basename(entry, extname(entry)), version: "0.0.0" };
  return {
    form: "functions",
    server: { name, version },
    tools: [],
    prompts: [],
    resources: [],
    questions: [],
    diagnostics: [],
    files: [],
  };
}

function inputsOf(files: ts.SourceFile[], configurations: string[], own: PackageInfo | undefined): string[] {
  const manifest = own ? [join(own.directory, "package.json")] : [];
  return [...new Set([...files.map(({ fileName }) => fileName), ...configurations, ...manifest])].sort();
}

/** Sorts the entry first, then the other files; within a file, from top to bottom. */
function compare(entry: string, a: Place, b: Place): number {
  if (a.file !== b.file) return a.file === entry || (b.file !== entry && a.file < b.file) ? -1 : 1;
  return a.line - b.line || a.column - b.column;
}
