import ts from "typescript";
import type { Conversion, Problem } from "../model/conversion.ts";
import { DIAGNOSTICS, type Diagnostic, type DiagnosticCode } from "../model/diagnostics.ts";
import { createOrigins, type Origins } from "../program/origin.ts";
import type { FindPackage } from "../program/packages.ts";
import { createConversion } from "../types/schema.ts";

/** What the description of one program needs everywhere. */
export interface Session {
  readonly checker: ts.TypeChecker;
  readonly origins: Origins;
  /** The types of what functions take. */
  readonly inward: Conversion;
  /** The types of what functions give. */
  readonly outward: Conversion;
  readonly diagnostics: Diagnostic[];
  report(code: DiagnosticCode, node: ts.Node, message: string): void;
  /** Reports what a conversion met, in the author's code or else at `node`, and says whether it was an error. */
  reportAll(problems: readonly Problem[], node: ts.Node): boolean;
}

export function openSession(program: ts.Program, packageOf: FindPackage): Session {
  const checker = program.getTypeChecker();
  const origins = createOrigins(program, packageOf);
  const diagnostics: Diagnostic[] = [];
  const known = new Set<string>();

  function report(code: DiagnosticCode, node: ts.Node, message: string): void {
    const diagnostic = { code, severity: DIAGNOSTICS[code].severity, ...locate(node), message };
    // Functions that share a type meet its problems again.
    const key = JSON.stringify(diagnostic);
    if (!known.has(key)) diagnostics.push(diagnostic);
    known.add(key);
  }

  return {
    checker,
    origins,
    inward: createConversion(checker, origins, "in"),
    outward: createConversion(checker, origins, "out"),
    diagnostics,
    report,
    reportAll(problems, node) {
      for (const problem of problems) report(problem.code, problem.node ?? node, problem.message);
      return problems.some(({ code }) => DIAGNOSTICS[code].severity === "error");
    },
  };
}

/** Where a node is, by its name if it declares one. */
export function locate(node: ts.Node): { file: string; line: number; column: number } {
  const file = node.getSourceFile();
  const name = ts.getNameOfDeclaration(node as ts.Declaration) ?? node;
  const { line, character } = file.getLineAndCharacterOfPosition(name.getStart(file));
  return { file: file.fileName, line: line + 1, column: character + 1 };
}
