import ts from "typescript";
import type { Conversion, Problem } from "../model/conversion.ts";
import { DIAGNOSTICS, type Diagnostic, type DiagnosticCode, type Severity } from "../model/diagnostics.ts";
import type { TextPlace } from "../model/text-place.ts";
import { createOrigins, type Origins } from "../program/origin.ts";
import type { FindPackage } from "../program/packages.ts";
import { CustomCodecs } from "../types/custom-codecs.ts";
import { createConversion } from "../types/schema.ts";

/** The shared state while one program is described. */
export interface Session {
  readonly checker: ts.TypeChecker;
  readonly origins: Origins;
  /** The codecs of the author, which both conversions use. */
  readonly codecs: CustomCodecs;
  /** Converts parameter types. */
  readonly inward: Conversion;
  /** Converts return types. */
  readonly outward: Conversion;
  readonly diagnostics: Diagnostic[];
  report(code: DiagnosticCode, node: ts.Node | TextPlace, message: string): void;
  /** Reports the problems of a conversion, at `node` if they have no location. Returns whether any is an error. */
  reportAll(problems: readonly Problem[], node: ts.Node): boolean;
}

export function openSession(program: ts.Program, packageOf: FindPackage): Session {
  const checker = program.getTypeChecker();
  const origins = createOrigins(program, packageOf);
  const codecs = new CustomCodecs(checker);
  const diagnostics: Diagnostic[] = [];
  const known = new Set<string>();

  function report(
    code: DiagnosticCode,
    node: ts.Node | TextPlace,
    message: string,
    severity: Severity = DIAGNOSTICS[code].severity,
  ): void {
    const diagnostic = { code, severity, ...locate(node), message: capitalize(message) };
    // Functions that share a type have the same problems; report each once.
    const key = JSON.stringify(diagnostic);
    if (!known.has(key)) diagnostics.push(diagnostic);
    known.add(key);
  }

  return {
    checker,
    origins,
    codecs,
    inward: createConversion(checker, origins, codecs, "in"),
    outward: createConversion(checker, origins, codecs, "out"),
    diagnostics,
    report,
    reportAll(problems, node) {
      const unfixable = problems.filter((problem) => problem.code === "PF2003" && problem.node === undefined);
      for (const problem of problems) {
        if (!unfixable.includes(problem)) report(problem.code, problem.node ?? node, problem.message);
      }
      if (unfixable.length > 0) report("PF2003", node, foldAny(unfixable), "note");
      return problems.some(({ code }) => DIAGNOSTICS[code].severity === "error");
    },
  };
}

/** Says once that the types of packages contain `any`. A note, because the author cannot change them. */
function foldAny(problems: readonly Problem[]): string {
  const [subject] = problems[0]?.message.split(" has the type any") ?? [];
  const count = new Set(problems.map(({ message }) => message)).size - 1;
  const more = count === 0 ? "" : `, as ${count} more ${count === 1 ? "place has" : "places have"}`;
  const packages = [...new Set(problems.flatMap(({ library }) => library ?? []))].join(", ") || "a package";
  return `${subject} has the type any${more} in the types of ${packages}, so every value is accepted there. To narrow it, declare your own type.`;
}

/** Many messages start with the subject of a conversion, such as "parameter 'a' of 'f'". */
function capitalize(message: string): string {
  return message.charAt(0).toUpperCase() + message.slice(1);
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
