import { fileURLToPath } from "node:url";
import type { Diagnostic } from "../../derive/index.ts";
import { RefusedModule } from "../../terminal/diagnostic-report.ts";
import { redact } from "../../terminal/redact.ts";
import type { EditProblem } from "../protocol/edit.ts";
import { cut, openLines } from "../source/source-view.ts";

/** Lines before and after the place of a problem. */
const AROUND = 3;
const MAX_PROBLEMS = 50;
/** Characters of a message. */
const MAX_MESSAGE = 4000;
const MAX_FRAMES = 100;

/** Describes the problems that derivation reported, without notes. */
export function fromDiagnostics(diagnostics: readonly Diagnostic[], files: readonly string[]): EditProblem[] {
  const frame = openFrames(files);
  return diagnostics
    .flatMap(({ code, severity, file, line, column, message }): EditProblem[] => {
      if (severity === "note") return [];
      const [problem, remedy] = code.startsWith("PF") ? splitRemedy(message) : [message];
      return [{ ...frame(file, line, column), code, severity, message: problem, ...(remedy && { remedy }) }];
    })
    .slice(0, MAX_PROBLEMS);
}

/** Describes why a version could not be served: it was refused, or it threw while it was loaded or started. */
export function fromError(error: unknown, files: readonly string[]): EditProblem[] {
  if (error instanceof RefusedModule) return fromDiagnostics(error.diagnostics, files);
  const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
  const { message, stack = "" } = cause instanceof Error ? cause : { message: String(cause) };
  const shown = error instanceof Error ? error.message.split("\n    at ", 1)[0] : message;
  const place = placeIn(stack, files);
  return [{ ...(place && openFrames(files)(...place)), message: redact(shown ?? message).slice(0, MAX_MESSAGE) }];
}

/** Our messages are sentences: the first says what is wrong, the others what to do. */
function splitRemedy(message: string): [string, string?] {
  const end = /[.?!] (?=\p{Lu})/u.exec(message);
  return end === null ? [message] : [message.slice(0, end.index + 1), message.slice(end.index + 2)];
}

/** Finds the first line of a stack trace that is in one of the files. */
function placeIn(stack: string, files: readonly string[]): [file: string, line: number, column?: number] | undefined {
  for (const line of stack.split("\n", MAX_FRAMES)) {
    const [, path, row, column] = /((?:file:\/\/\/?|\/|[A-Za-z]:[\\/]).*?)(?::(\d+))?(?::(\d+))?\)?$/.exec(line) ?? [];
    const file = path === undefined ? undefined : toPath(path);
    if (file === undefined || !files.includes(file)) continue;
    return column === undefined ? [file, Number(row ?? 1)] : [file, Number(row), Number(column)];
  }
  return undefined;
}

function toPath(path: string): string | undefined {
  try {
    return (path.startsWith("file:") ? fileURLToPath(path) : path).replaceAll("\\", "/");
  } catch {
    return undefined;
  }
}

/** Returns a function that shows the lines around a place. */
function openFrames(files: readonly string[]) {
  const linesOf = openLines();
  return (path: string, line: number, column?: number): Partial<EditProblem> => {
    const file = files.indexOf(path);
    if (file < 0) return {};
    const first = Math.max(1, line - AROUND);
    const lines = linesOf(path).slice(first - 1, line + AROUND);
    return {
      file,
      line,
      ...(column !== undefined && { column }),
      ...(lines.length > 0 && { frame: { first, lines: lines.map(cut) } }),
    };
  };
}
