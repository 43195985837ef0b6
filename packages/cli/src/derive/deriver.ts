import { existsSync, realpathSync, statSync } from "node:fs";
import { basename, extname, join, resolve } from "node:path";
import ts from "typescript";
import { moduleDoc } from "./comments/find-comment.ts";
import { type EmitSource, emitFiles } from "./emit/emit.ts";
import { toPosix } from "./emit/specifiers.ts";
import { CodecFinder } from "./exports/codecs.ts";
import { Companions } from "./exports/companions.ts";
import { describeModule } from "./exports/describe.ts";
import { DescriptionMemo } from "./exports/description-memo.ts";
import { checkOtherTags } from "./exports/entry-tags.ts";
import { findPositions } from "./exports/positions.ts";
import { findQuestions } from "./exports/questions.ts";
import { locate, openSession, type Session } from "./exports/session.ts";
import { findSettings } from "./exports/settings.ts";
import { findSources } from "./exports/sources.ts";
import type { Derivation, DerivedQuestion, Emission, ItemPositions, ItemSource, Place } from "./model/description.ts";
import { DIAGNOSTICS, type Diagnostic, type Severity } from "./model/diagnostics.ts";
import { createPackageFinder, type FindPackage, isProjectFile, type PackageInfo } from "./program/origin.ts";
import { openProject, type Snapshot } from "./program/project.ts";
import { createSystem, type FileObserver, type System } from "./program/system.ts";

interface DeriveOptions {
  /** Also report TypeScript's own errors in the author's files, which takes additional time. Default: true. */
  check?: boolean;
  /** Is notified of everything that the derivation reads or looks for. */
  observer?: FileObserver;
}

/** Derives a module repeatedly. Each derivation reuses the unchanged parts of the previous one. */
export interface Deriver {
  /** Reads the changed files and describes the module. */
  derive(): Derivation;
  /**
   * Returns the JavaScript of the last derivation. `outDir` is its intended directory; nothing is written. The paths
   * leave room for the files in `beside`, so that each keeps its place relative to the sources.
   */
  emit(outDir: string, beside?: readonly string[]): Emission;
  /** Returns the places of the items in the code of the last derivation. */
  sources(): ItemSource[];
  /** Returns where the parts of the items of the last derivation come from. Derivation does not depend on it. */
  positions(): ItemPositions[];
}

/** Creates a deriver for a module. */
export function createDeriver(entry: string, { check = true, observer }: DeriveOptions = {}): Deriver {
  const absolute = resolve(entry);
  const path = toPosix(existsSync(absolute) ? realpathSync(absolute) : absolute);
  const system = createSystem(observer);
  const project = openProject(path, system);
  const memo = new DescriptionMemo();
  let emittable: EmitSource | undefined;
  let snapshot: Snapshot | undefined;
  let last: Derivation | undefined;

  function derive(): Derivation {
    if (!statSync(path, { throwIfNoEntry: false })?.isFile()) return describeMissing(path, system);
    snapshot = project.refresh();
    const { derivation, source } = describeSnapshot(path, snapshot, check, memo);
    emittable = source;
    last = derivation;
    return derivation;
  }

  return {
    derive,
    emit(outDir, beside) {
      if (emittable === undefined) derive();
      if (emittable === undefined) throw new Error(`${path} does not exist.`);
      return emitFiles(emittable, resolve(outDir), beside);
    },
    sources() {
      if (snapshot === undefined) derive();
      return snapshot === undefined ? [] : findItemSources(path, snapshot);
    },
    positions() {
      if (snapshot === undefined) derive();
      return snapshot === undefined || last === undefined ? [] : findItemPositions(snapshot, last);
    },
  };
}

/** The parts of the emission of a module with syntax errors. */
const NOTHING = { questions: new Map(), settings: new Map(), codecs: [] };

/** Describes a module in a snapshot of its program. Also returns the files to emit. */
function describeSnapshot(
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
function findItemSources(entry: string, snapshot: Snapshot): ItemSource[] {
  const { described } = snapshot;
  if (described === undefined) return [];
  const { session, files } = openFiles(snapshot);
  return findSources(session, described, files).sort((a, b) => compare(entry, a, b));
}

/** Finds where the parts of the items of a derivation come from. */
function findItemPositions(snapshot: Snapshot, derivation: Derivation): ItemPositions[] {
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
function describeMissing(entry: string, system: System): Derivation {
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

/** Converts TypeScript's diagnostics to ours. One without a file is reported for `fallback`. */
function fromCompiler(
  diagnostics: readonly ts.Diagnostic[],
  fallback: string,
  severity: Severity = "error",
): Diagnostic[] {
  return diagnostics.filter(isErrorOrWarning).map((diagnostic) => {
    const { file, start = 0, code, messageText, category } = diagnostic;
    const { line, character } = file?.getLineAndCharacterOfPosition(start) ?? { line: 0, character: 0 };
    return {
      code: `TS${code}`,
      severity: category === ts.DiagnosticCategory.Warning ? "warning" : severity,
      file: file?.fileName ?? fallback,
      line: line + 1,
      column: character + 1,
      message: ts.flattenDiagnosticMessageText(messageText, "\n"),
    };
  });
}

function isErrorOrWarning({ category }: ts.Diagnostic): boolean {
  return category === ts.DiagnosticCategory.Error || category === ts.DiagnosticCategory.Warning;
}
