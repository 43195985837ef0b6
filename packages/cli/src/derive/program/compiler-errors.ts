import ts from "typescript";
import type { Diagnostic, Severity } from "../model/diagnostics.ts";

/** Converts TypeScript's diagnostics to ours. One without a file is reported for `fallback`. */
export function fromCompiler(
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
