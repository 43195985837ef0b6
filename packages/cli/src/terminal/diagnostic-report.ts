import { relative } from "node:path";
import type { Derivation, Diagnostic } from "../derive/index.ts";
import { CommandError } from "./command-error.ts";
import { currentShell } from "./shell.ts";
import { type Styles, say, stylesFor } from "./terminal.ts";
import { Text, text } from "./text.ts";

/** A module whose diagnostics do not permit to serve it. */
export class RefusedModule extends CommandError {
  override readonly name = "RefusedModule";
  readonly diagnostics: readonly Diagnostic[];

  constructor(message: Text, diagnostics: readonly Diagnostic[]) {
    super(message);
    this.diagnostics = diagnostics;
  }
}

type Diagnosed = Pick<Derivation, "diagnostics">;

const SYNTAX_ERROR = /^TS1\d{3}$/;
/**
 * Errors of the whole module: it does not exist, exports nothing, cannot be loaded, or exports a server that would not be served. The
 * middleware of that server may check permissions, so no function may be served without it.
 */
const OF_MODULE = new Set(["PF1001", "PF1002", "PF1009", "PF1701", "PF1702", "PF1703"]);

/** Whether the module cannot be served: Proffer's own errors, and syntax errors. */
function isFatal({ severity, code }: Diagnostic): boolean {
  return severity === "error" && (!code.startsWith("TS") || SYNTAX_ERROR.test(code));
}

function isOfModule({ code }: Diagnostic): boolean {
  return OF_MODULE.has(code) || SYNTAX_ERROR.test(code);
}

/** Whether a module cannot be served, except by `dev`. */
export function isBroken({ diagnostics }: Diagnosed): boolean {
  return diagnostics.some(isFatal);
}

/** Returns how many errors keep functions from being served. */
export function countErrors({ diagnostics }: Diagnosed): number {
  return diagnostics.filter(isFatal).length;
}

/** @throws {CommandError} with all diagnostics, if the module cannot be served. */
export function checkDerivation(file: string, derivation: Diagnosed): void {
  if (!isBroken(derivation)) return;
  const hint = derivation.diagnostics.some(isOfModule)
    ? text``
    : text`\nFix the errors. Meanwhile, proffer dev serves the functions without errors.`;
  throw new CommandError(text`${refusal(file, derivation)}${hint}`);
}

/** @throws {RefusedModule} with all diagnostics, if not even the functions without errors can be served. */
export function checkModule(file: string, derivation: Diagnosed): void {
  const { diagnostics } = derivation;
  if (diagnostics.some(isOfModule)) throw new RefusedModule(refusal(file, derivation), diagnostics);
}

function refusal(file: string, { diagnostics }: Diagnosed): Text {
  return text`${file} cannot be served:\n${formatDiagnostics(diagnostics, stylesFor(currentShell().stderr))}`;
}

/** Prints diagnostics to stderr, without notes: those are for `check` and the start of `dev`. */
export function reportDiagnostics(diagnostics: readonly Diagnostic[]): void {
  reportAll(diagnostics.filter(({ severity }) => severity !== "note"));
}

/** Prints diagnostics and notes to stderr. */
export function reportAll(diagnostics: readonly Diagnostic[]): void {
  if (diagnostics.length > 0) say(formatDiagnostics(diagnostics, stylesFor(currentShell().stderr)));
}

/** Formats diagnostics, one per line, with paths relative to the current directory. */
export function formatDiagnostics(diagnostics: readonly Diagnostic[], { red, yellow, dim }: Styles): Text {
  const lines = diagnostics.map(({ file, line, column, severity, code, message }) => {
    const paint = severity === "error" ? red : severity === "warning" ? yellow : dim;
    return text`${toShortPath(file)}:${line}:${column} ${paint(severity)} ${dim(code)} ${Text.block(message)}`;
  });
  return Text.join(lines, "\n");
}

/** Returns a path relative to the current directory, unless it is outside. */
export function toShortPath(file: string): string {
  const path = relative(currentShell().cwd, file);
  return path.startsWith("..") ? file : path;
}
