import ts from "typescript";
import type { DerivedSchema } from "../model/json-schema.ts";
import { deriveForm } from "./form.ts";
import type { Session } from "./session.ts";

/** Position of the schema in `ask(message, schema, options)`. */
export const SCHEMA_ARGUMENT = 1;

/** The derived form schemas of the questions without a schema, by their call expression. */
export type Questions = ReadonlyMap<ts.Node, DerivedSchema>;

/** Finds the calls `ctx.ask<T>("…")` in the author's files and derives their form schemas. */
export function findQuestions(session: Session, files: readonly ts.SourceFile[]): Questions {
  const questions = new Map<ts.Node, DerivedSchema>();

  function visit(node: ts.Node): void {
    if (ts.isCallExpression(node) && calleeName(node) === "ask" && needsSchema(session, node)) {
      const [type] = node.typeArguments ?? [];
      const schema = type && deriveForm(session, type);
      if (schema) questions.set(node, schema);
      if (!type)
        session.report(
          "PF1501",
          node,
          'This question has no type. Write ask<{ name: string }>("…"), or pass a schema.',
        );
    }
    ts.forEachChild(node, visit);
  }

  for (const file of files) if (!file.isDeclarationFile && /\bask\b/.test(file.text)) visit(file);
  return questions;
}

/** Whether a call is `ask` of the run-time's Context, without a schema. */
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

export function calleeName({ expression }: ts.CallExpression): string | undefined {
  if (ts.isPropertyAccessExpression(expression)) return expression.name.text;
  return ts.isIdentifier(expression) ? expression.text : undefined;
}

export function isUndefined(node: ts.Expression): boolean {
  return ts.isIdentifier(node) && node.text === "undefined";
}
