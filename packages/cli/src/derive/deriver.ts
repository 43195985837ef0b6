import { existsSync, realpathSync, statSync } from "node:fs";
import { basename, extname, join, resolve } from "node:path";
import ts from "typescript";
import { checkTags } from "./comments/check-tags.ts";
import { moduleDoc } from "./comments/find-comment.ts";
import { type EmitSource, emitFiles, toPosix } from "./emit/emit.ts";
import { type Analysis, locate, openAnalysis } from "./exports/analysis.ts";
import { findCodecs } from "./exports/codecs.ts";
import { reportCommonJs } from "./exports/common-js.ts";
import { describeModule } from "./exports/describe.ts";
import { reporterFor } from "./exports/entry-tags.ts";
import { findPositions } from "./exports/positions.ts";
import { findQuestions } from "./exports/questions.ts";
import { findSettings } from "./exports/settings.ts";
import { findSources } from "./exports/sources.ts";
import type { Derivation, DerivedQuestion, Emission, ItemPositions, ItemSource, Place } from "./model/description.ts";
import { DIAGNOSTICS, type Diagnostic, type Severity } from "./model/diagnostics.ts";
import { createSystem, type FileObserver } from "./program/host.ts";
import { createPackageFinder, type FindPackage, isProjectFile } from "./program/origin.ts";
import { openProject, type Snapshot } from "./program/project.ts";

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
  const refresh = openProject(path, system);
  let emittable: EmitSource | undefined;
  let snapshot: Snapshot | undefined;
  let last: Derivation | undefined;

  function derive(): Derivation {
    if (!statSync(path, { throwIfNoEntry: false })?.isFile()) {
      const message = `The module ${path} does not exist. Check the path.`;
      const missing = {
        code: "PF1001",
        severity: DIAGNOSTICS.PF1001.severity,
        file: path,
        line: 1,
        column: 1,
        message,
      };
      return { ...emptyDerivation(path, createPackageFinder(system)), diagnostics: [missing], files: [path] };
    }
    snapshot = refresh();
    const { derivation, source } = describeSnapshot(path, snapshot, check);
    emittable = source;
    last = derivation;
    return derivation;
  }

  /** Looks for the items of the last derivation in its code. */
  function findItems<Found>(
    find: (analysis: Analysis, module: ts.SourceFile, files: ts.SourceFile[]) => Found[],
  ): Found[] {
    if (snapshot === undefined) derive();
    if (snapshot?.described === undefined) return [];
    const { analysis, files } = openFiles(snapshot);
    return find(analysis, snapshot.described, files);
  }

  return {
    derive,
    emit(outDir, beside) {
      if (emittable === undefined) derive();
      if (emittable === undefined) throw new Error(`${path} does not exist.`);
      return emitFiles(emittable, resolve(outDir), beside);
    },
    sources: () => findItems(findSources).sort((a, b) => compare(path, a, b)),
    positions: () =>
      findItems((analysis, described, files) => (last ? findPositions(analysis, described, files, last) : [])),
  };
}

/** The parts of the emission of a module with syntax errors. */
const NOTHING = { questions: new Map(), settings: new Map(), codecs: [] };

/** Describes a module in a snapshot of its program. Also returns the files to emit. */
function describeSnapshot(entry: string, snapshot: Snapshot, check: boolean) {
  const { program, configuration, described } = snapshot;
  const { analysis, files } = openFiles(snapshot);
  const { packageOf } = analysis.origins;
  const own = packageOf(entry);
  const manifest = own ? [join(own.directory, "package.json")] : [];
  const inputs = new Set([...files.map(({ fileName }) => fileName), ...configuration.files, ...manifest]);
  const empty: Derivation = { ...emptyDerivation(entry, packageOf), files: [...inputs].sort() };
  const source = { program, entry, files };

  // A file with syntax errors cannot be described.
  const syntax = files.flatMap((file) => firstProblem(program.getSyntacticDiagnostics(file)));
  const early = [...fromCompiler(configuration.errors, entry), ...fromCompiler(syntax, entry)];
  if (syntax.length > 0 || described === undefined) {
    return { derivation: { ...empty, diagnostics: early }, source: { ...source, ...NOTHING } };
  }

  reportCommonJs(analysis, files);
  const about = moduleDoc(described);
  if (about) checkTags(reporterFor(analysis, "the module", described), about, "module");
  const addedCodecs = findCodecs(analysis, files, program.getSourceFile(entry));
  const content = describeModule(analysis, described, files);
  const questions = findQuestions(analysis, files);
  const { calls, settings } = findSettings(analysis, files);
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
    diagnostics: [...early, ...analysis.diagnostics, ...semantic].sort(inOrder),
  };
  return { derivation, source: { ...source, questions, settings: calls, codecs: addedCodecs() } };
}

/** Returns the first of the syntax errors of a file. The parser goes on by guessing, so most of the others follow from it. */
function firstProblem([first, ...others]: readonly ts.DiagnosticWithLocation[]): ts.DiagnosticWithLocation[] {
  if (first === undefined) return [];
  const { file, start, length, messageText } = first;
  const found = file.text.slice(start, start + length).trim();
  const text = ts.flattenDiagnosticMessageText(messageText, "\n");
  // "',' expected." says little without the word that is there instead.
  const where = text.endsWith(" expected.") && found ? `${text.slice(0, -1)} before '${shorten(found)}'.` : text;
  const more = others.length === 0 ? "" : " Other errors in this file may follow from it.";
  return [{ ...first, messageText: where + more }];
}

/** Shortens a piece of source code in a message. */
function shorten(text: string): string {
  const [line = ""] = text.split("\n");
  return line.length > 40 ? `${line.slice(0, 40)}…` : line;
}

function openFiles({ program, system }: Snapshot): { analysis: Analysis; files: ts.SourceFile[] } {
  const packageOf = createPackageFinder(system);
  const files = program.getSourceFiles().filter((file) => isProjectFile(program, file, packageOf));
  return { analysis: openAnalysis(program, packageOf), files };
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
  const { Error: isError, Warning: isWarning } = ts.DiagnosticCategory;
  const shown = diagnostics.filter(({ category }) => category === isError || category === isWarning);
  return shown.map((diagnostic) => {
    const { file, start = 0, code, messageText, category } = diagnostic;
    const { line, character } = file?.getLineAndCharacterOfPosition(start) ?? { line: 0, character: 0 };
    return {
      code: `TS${code}`,
      severity: category === isWarning ? "warning" : severity,
      file: file?.fileName ?? fallback,
      line: line + 1,
      column: character + 1,
      message: withRemedy(ts.flattenDiagnosticMessageText(messageText, "\n")),
    };
  });
}

/** Names the package to install in TypeScript's message about a module that it cannot find. */
function withRemedy(message: string): string {
  const [, name] = /^Cannot find module '((?:@[\w.-]+\/)?\w[\w.-]*)[^:']*'/.exec(message) ?? [];
  return name === undefined ? message : `${message} If it is a package, run: npm install ${name}`;
}
