import type ts from "typescript";
import type { DiagnosticCode } from "../model/diagnostics.ts";
import type { ModuleContent } from "./describe.ts";
import type { Candidate } from "./exports.ts";
import type { Session } from "./session.ts";
import { choosesErrors, throwsUnseenError } from "./unseen-errors.ts";

/** The number of functions that one note names. */
const MAX_NAMES = 5;

/** Reports facts about the served functions, each once for the module: they are true of all functions or of none. */
export function reportNotes(
  session: Session,
  file: ts.SourceFile,
  candidates: readonly Candidate[],
  { tools, prompts, resources }: ModuleContent,
): void {
  const kinds = new Map(
    [...tools, ...prompts, ...resources].map(({ binding }) => [binding.path.join("."), binding.result.kind]),
  );
  const served = candidates.filter(({ path }) => kinds.has(path.join(".")));
  const throwing = served.filter((candidate) => throwsUnseenError(session, candidate));
  if (throwing.length > 0 && !choosesErrors(session, file)) {
    const remedy = 'Throw a ToolError, return fail("…"), or set errors: "message" in defineServer.';
    report(session, "PF3001", throwing, (s) => `throw${s} errors whose messages no model will see. ${remedy}`);
  }
  const returning = served.filter(({ path }) => kinds.get(path.join(".")) === "result");
  const effect = "It is sent unchanged and has no output schema; return the data itself to get one.";
  report(session, "PF3002", returning, (s) => `return${s} the result of the call itself. ${effect}`);
}

/** Reports a fact about some functions at the first of them. `predicate` gets the ending of its verb. */
function report(
  session: Session,
  code: DiagnosticCode,
  candidates: readonly Candidate[],
  predicate: (ending: "s" | "") => string,
): void {
  const [first] = candidates;
  if (first === undefined) return;
  const names = candidates.slice(0, MAX_NAMES).map(({ name }) => `'${name}'`);
  const more = candidates.length > MAX_NAMES ? `, and ${candidates.length - MAX_NAMES} more` : "";
  const message =
    candidates.length === 1
      ? `${names[0]} ${predicate("s")}`
      : `${candidates.length} functions (${names.join(", ")}${more}) ${predicate("")}`;
  session.report(code, first.node, message);
}
