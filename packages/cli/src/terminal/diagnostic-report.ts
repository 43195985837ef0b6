import { relative } from "node:path";
import type { Derivation, Diagnostic } from "../derive/index.ts";
import { CommandError } from "./command-error.ts";
import { type Styles, say, stylesFor } from "./terminal.ts";
import { Text, text } from "./text.ts";

/** Whether the module cannot be served: Proffer's own errors, and syntax errors. */
function isFatal({ severity, code }: Diagnostic): boolean {
  return severity === "error" && (!code.startsWith("TS") || /^TS1\d{3}$/.test(code));
}

/** Whether a module cannot be served. */
export function isBroken({ diagnostics }: Pick<Derivation, "diagnostics">): boolean {
  return diagnostics.some(isFatal);
}

/** @throws {CommandError} with all diagnostics, if the module cannot be served. */
export function checkDerivation(file: string, derivation: Pick<Derivation, "diagnostics">): void {
  if (!isBroken(derivation)) return;
  const shown = formatDiagnostics(derivation.diagnostics, stylesFor(process.stderr));
  throw new CommandError(text`${file} cannot be served:\n${shown}`);
}

/** Prints diagnostics to stderr, without notes: those are for `check` and the start of `dev`. */
export function reportDiagnostics(diagnostics: readonly Diagnostic[]): void {
  reportAll(diagnostics.filter(({ severity }) => severity !== "note"));
}

/** Prints diagnostics and notes to stderr. */
export function reportAll(diagnostics: readonly Diagnostic[]): void {
  if (diagnostics.length > 0) say(formatDiagnostics(diagnostics, stylesFor(process.stderr)));
}

/** Formats diagnostics, one per line, with paths relative to the current directory. */
export function formatDiagnostics(diagnostics: readonly Diagnostic[], { red, yellow, dim }: Styles): Text {
  const lines = diagnostics.map(({ file, line, column, severity, code, message }) => {
    const paint = severity === "error" ? red : severity === "warning" ? yellow : dim;
    return text`${shorten(file)}:${line}:${column} ${paint(severity)} ${dim(code)} ${Text.block(message)}`;
  });
  return Text.join(lines, "\n");
}

function shorten(file: string): string {
  const path = relative(process.cwd(), file);
  return path.startsWith("..") ? file : path;
}
