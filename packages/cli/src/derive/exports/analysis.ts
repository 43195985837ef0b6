import ts from "typescript";
import {
  DIAGNOSTICS,
  type Diagnostic,
  type DiagnosticCode,
  type Severity,
  type TextPlace,
} from "../model/diagnostics.ts";
import { createOrigins, type FindPackage, type Origins } from "../program/origin.ts";
import type { Conversion, Problem } from "../types/conversion.ts";
import { type CustomCodecs, createCustomCodecs } from "../types/custom-codecs.ts";
import { createConversion } from "../types/schema.ts";
import { aliasTarget } from "../types/type-node.ts";

/** The shared state while one program is described. */
export interface Analysis {
  readonly checker: ts.TypeChecker;
  readonly origins: Origins;
  /** The codecs of the author, which both conversions use. */
  readonly codecs: CustomCodecs;
  /** Converts parameter types. */
  readonly inward: Conversion;
  /** Converts return types. */
  readonly outward: Conversion;
  readonly diagnostics: Diagnostic[];
  /** The name of the function that is described. */
  current: string;
  report(code: DiagnosticCode, node: ts.Node | TextPlace, message: string): void;
  /** Reports the problems of a conversion, at `node` if they have no location. Returns whether any is an error. */
  reportAll(problems: readonly Problem[], node: ts.Node): boolean;
}

export function openAnalysis(program: ts.Program, packageOf: FindPackage): Analysis {
  const checker = program.getTypeChecker();
  const origins = createOrigins(program, packageOf);
  const codecs = createCustomCodecs(checker);
  const diagnostics: Diagnostic[] = [];
  const known = new Set<string>();
  /** The problems of several functions, and the functions that have them. */
  const shared = new Map<string, { diagnostic: Diagnostic; message: string; users: Set<string> }>();

  function report(
    code: DiagnosticCode,
    node: ts.Node | TextPlace,
    message: string,
    severity: Severity = DIAGNOSTICS[code].severity,
  ): void {
    // Many messages start with the subject of a conversion, such as "parameter 'a' of 'f'".
    const diagnostic = { code, severity, ...locate(node), message: message.charAt(0).toUpperCase() + message.slice(1) };
    // Functions that share a type have the same problems; report each once.
    const key = JSON.stringify(diagnostic);
    if (!known.has(key)) diagnostics.push(diagnostic);
    known.add(key);
  }

  /** Reports a problem of a type once, and names the functions that use the type. */
  function reportShared({ code, message }: Problem, node: ts.Node | TextPlace, isOutside: boolean): void {
    const { line, column } = locate(node);
    const key = isOutside ? `${code} ${message} ${line}:${column}` : `${code} ${message}`;
    const found = shared.get(key);
    if (found === undefined) {
      const before = diagnostics.length;
      report(code, node, message);
      const diagnostic = diagnostics[before];
      if (diagnostic === undefined) return;
      shared.set(key, { diagnostic, message: diagnostic.message, users: new Set() });
    }
    const { diagnostic, message: text, users } = found ?? (shared.get(key) as NonNullable<typeof found>);
    users.add(analysis.current);
    // The place of the diagnostic names the only user of a type of a package.
    if (users.size > 1 || isOutside) diagnostic.message = `${text} Used by ${listNames([...users])}.`;
  }

  /** Reports a problem where the author can change something. */
  function reportProblem(problem: Problem, node: ts.Node): void {
    const { code, message, path = "" } = problem;
    const isError = DIAGNOSTICS[code].severity === "error";
    if (problem.node === undefined) {
      // What a package lacks has the same remedy at each of its places.
      const place = path === "" || code === "PF1101" ? "" : ` It is at ${shortened(path.replace(/^\./, ""))}.`;
      // Each function concerned can be changed, for example with Omit.
      if (isError) report(code, node, message + place);
      else reportShared(problem, node, false);
    } else if (isError && "kind" in problem.node && !isWithin(problem.node, node)) {
      reportShared(problem, problem.node, true);
    } else report(code, problem.node, message);
  }

  const analysis: Analysis = {
    checker,
    origins,
    codecs,
    inward: createConversion(checker, origins, codecs, "in"),
    outward: createConversion(checker, origins, codecs, "out"),
    diagnostics,
    current: "",
    report,
    reportAll(problems, node) {
      const unfixable = problems.filter((problem) => problem.code === "PF2003" && problem.node === undefined);
      for (const problem of problems) if (!unfixable.includes(problem)) reportProblem(problem, node);
      if (unfixable.length > 0) report("PF2003", node, foldAny(unfixable), "note");
      return problems.some(({ code }) => DIAGNOSTICS[code].severity === "error");
    },
  };
  return analysis;
}

/** The number of functions that a message names. */
const MAX_NAMES = 5;

/** Lists names in a sentence. */
export function listNames(names: readonly string[]): string {
  const shown = names.slice(0, MAX_NAMES).map((name) => `'${name}'`);
  const more = names.length > MAX_NAMES ? `, and ${names.length - MAX_NAMES} more` : "";
  return `${shown.join(", ")}${more}`;
}

/** Nobody reads a path with forty repetitions. */
function shortened(path: string): string {
  return path.length > 100 ? `${path.slice(0, 60)}…${path.slice(-30)}` : path;
}

function isWithin(node: ts.Node, holder: ts.Node): boolean {
  return ts.findAncestor(node, (each) => each === holder) !== undefined;
}

/** Says once that the types of packages contain `any`. A note, because the author cannot change them. */
function foldAny(problems: readonly Problem[]): string {
  const [subject] = problems[0]?.message.split(" has the type any") ?? [];
  const count = new Set(problems.map(({ message }) => message)).size - 1;
  const more = count === 0 ? "" : `, as ${count} more ${count === 1 ? "place has" : "places have"}`;
  const packages = [...new Set(problems.flatMap(({ library }) => library ?? []))].join(", ") || "a package";
  return `${subject} has the type any${more} in the types of ${packages}, so every value is accepted there. To narrow it, declare your own type.`;
}

/** Finds the calls of a function of the run-time in the author's files. */
export function callsOf(analysis: Analysis, files: readonly ts.SourceFile[], name: string): ts.CallExpression[] {
  const { checker, origins } = analysis;
  const found: ts.CallExpression[] = [];
  function visit(node: ts.Node): void {
    if (ts.isCallExpression(node)) {
      const symbol = checker.getSymbolAtLocation(node.expression);
      if (symbol && origins.isRuntime(aliasTarget(checker, symbol), name)) found.push(node);
    }
    ts.forEachChild(node, visit);
  }
  for (const file of files) if (!file.isDeclarationFile && file.text.includes(name)) visit(file);
  return found;
}

/** Returns the position of a tag or a node, or of its name if it is a declaration. */
export function locate(place: ts.Node | TextPlace): { file: string; line: number; column: number } {
  const { file, pos } = "kind" in place ? startOf(place) : place;
  const { line, character } = file.getLineAndCharacterOfPosition(pos);
  return { file: file.fileName, line: line + 1, column: character + 1 };
}

function startOf(node: ts.Node): TextPlace {
  const file = node.getSourceFile();
  const name = ts.getNameOfDeclaration(node as ts.Declaration) ?? node;
  return { file, pos: name.getStart(file) };
}
