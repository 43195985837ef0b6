import ts from "typescript";
import type { JsonSchema } from "../model/json-schema.ts";
import { deriveForm } from "./form.ts";
import type { Session } from "./session.ts";

/** Where the schema stands among the arguments: `ask(message, schema, options)`. */
export const SCHEMA_ARGUMENT = 1;

/** The forms of all questions that rely on their type argument, by the call that asks. */
export type Questions = ReadonlyMap<ts.Node, JsonSchema>;

/** Finds the calls `ctx.ask<T>("…")` in the author's files and derives what they ask for. */
export function findQuestions(session: Session, files: readonly ts.SourceFile[]): Questions {
  const questions = new Map<ts.Node, JsonSchema>();

  function visit(node: ts.Node): void {
    if (ts.isCallExpression(node) && calleeName(node) === "ask" && needsSchema(session, node)) {
      const [type] = node.typeArguments ?? [];
      const schema = type && deriveForm(session, type);
      if (schema) questions.set(node, schema);
      if (!type)
        session.report(
          "PF1501",
          node,
          'this question has no type; write ask<{ name: string }>("…"), or give a schema.',
        );
    }
    ts.forEachChild(node, visit);
  }

  for (const file of files) if (!file.isDeclarationFile && /\bask\b/.test(file.text)) visit(file);
  return questions;
}

/** Whether a call is a question of the run-time's whose schema the author left out. */
function needsSchema({ checker, origins }: Session, call: ts.CallExpression): boolean {
  const given = call.arguments[SCHEMA_ARGUMENT];
  if (call.arguments.some(ts.isSpreadElement) || (given && !isUndefined(given))) return false;
  const signatures = checker.getTypeAtLocation(call.expression).getCallSignatures();
  return signatures.some(({ declaration }) => {
    const owner =
      declaration && ts.findAncestor(declaration, (node) => ts.isInterfaceDeclaration(node) || ts.isClassLike(node));
    const symbol = owner?.name && checker.getSymbolAtLocation(owner.name);
    return origins.isRuntime(symbol, "Context");
  });
}

function calleeName({ expression }: ts.CallExpression): string | undefined {
  if (ts.isPropertyAccessExpression(expression)) return expression.name.text;
  return ts.isIdentifier(expression) ? expression.text : undefined;
}

function isUndefined(node: ts.Expression): boolean {
  return ts.isIdentifier(node) && node.text === "undefined";
}
