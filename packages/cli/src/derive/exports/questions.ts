import ts from "typescript";
import type { DiagnosticCode } from "../model/diagnostics.ts";
import type { DerivedSchema } from "../model/json-schema.ts";
import { assemble } from "../types/assemble.ts";
import type { Conversion } from "../types/conversion.ts";
import type { Analysis } from "./analysis.ts";

/** Position of the schema in `ask(message, schema, options)`. */
export const SCHEMA_ARGUMENT = 1;

/** The derived form schemas of the questions without a schema, by their call expression. */
export type Questions = ReadonlyMap<ts.Node, DerivedSchema>;

/** Finds the calls `ctx.ask<T>("…")` in the author's files and derives their form schemas. */
export function findQuestions(analysis: Analysis, files: readonly ts.SourceFile[]): Questions {
  const questions = new Map<ts.Node, DerivedSchema>();

  function visit(node: ts.Node): void {
    if (ts.isCallExpression(node) && /\bask$/.test(node.expression.getText()) && needsSchema(analysis, node)) {
      const [type] = node.typeArguments ?? [];
      const schema = type && deriveForm(analysis, type);
      if (schema) questions.set(node, schema);
      if (!type)
        analysis.report(
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
function needsSchema({ checker, origins }: Analysis, call: ts.CallExpression): boolean {
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

export function isUndefined(node: ts.Expression): boolean {
  return ts.isIdentifier(node) && node.text === "undefined";
}

/** The string formats that the protocol allows in forms. */
const FORMATS = new Set(["email", "uri", "date", "date-time"]);

const COMMON = ["type", "title", "description", "default"];
const NOT_SHOWN = ["examples", "deprecated"];

/**
 * Derives the form schema of a question: one level of strings, numbers, booleans and choices, because clients can show
 * nothing else. For any other type it reports the reasons and returns undefined.
 */
function deriveForm(analysis: Analysis, node: ts.TypeNode): DerivedSchema | undefined {
  return deriveFields(analysis, node, {
    conversion: analysis.inward,
    subject: "the answer",
    generic: {
      code: "PF1502",
      message: (type) =>
        `The type '${type}' of this question is only known at run time. Write a concrete type, or pass a schema to ask.`,
    },
    notObject: {
      code: "PF1503",
      message: (type) =>
        `A question must ask for an object with named properties, not for '${type}'. Wrap it, for example: { value: string }.`,
    },
    badField: { code: "PF1504", message: (name, reason) => `A form cannot ask for '${name}': ${reason}.` },
    coded: "an answer is plain JSON, so use a string with @format",
    toField,
  });
}

/** Returns the schema of one field, or the reason why a form cannot have it. */
function toField(given: DerivedSchema): DerivedSchema | string {
  const schema = Object.fromEntries(Object.entries(given).filter(([key]) => !NOT_SHOWN.includes(key))) as DerivedSchema;
  if (typeof schema.const === "string") {
    const { const: choice, ...rest } = schema;
    return toField({ ...rest, enum: [choice] });
  }
  switch (schema.type) {
    case "string":
      if (schema.format !== undefined && !FORMATS.has(schema.format))
        return `@format ${schema.format} is not one of ${[...FORMATS].join(", ")}`;
      return only(schema, schema.enum ? ["enum"] : ["minLength", "maxLength", "format"]);
    case "number":
    case "integer":
      if (schema.enum !== undefined || schema.const !== undefined) return "choices must be string literals";
      return only(schema, ["minimum", "maximum"]);
    case "boolean":
      return schema.const === undefined ? only(schema, []) : "use boolean instead of a literal";
    case "array":
      if (!schema.items?.enum?.every((value) => typeof value === "string"))
        return "the items of an array must be a union of string literals";
      return only({ ...schema, items: { type: "string", enum: schema.items.enum } }, ["items", "minItems", "maxItems"]);
    default:
      return "only strings, numbers, booleans and choices are supported, so make it optional instead of nullable, and flatten objects";
  }
}

/** Returns the schema if it has no keywords other than these, and the reason otherwise. */
function only(schema: DerivedSchema, keywords: string[]): DerivedSchema | string {
  const other = Object.keys(schema).find((key) => !COMMON.includes(key) && !keywords.includes(key));
  return other === undefined ? schema : `the keyword ${other} is not supported, so check the answer in your code`;
}

/** A diagnostic that depends on the text of the type, or on a field and the reason against it. */
interface Report {
  readonly code: DiagnosticCode;
  readonly message: (text: string, reason: string) => string;
}

/** How to derive an object of simple fields. */
interface FieldsOptions {
  readonly conversion: Conversion;
  /** The name of the object in diagnostics. */
  readonly subject: string;
  readonly generic: Report;
  readonly notObject: Report;
  readonly badField: Report;
  /** The reason against a type that JSON cannot represent directly. */
  readonly coded: string;
  /** Returns the schema of one field, or the reason why the object cannot have it. */
  readonly toField: (schema: DerivedSchema, name: string) => DerivedSchema | string;
}

/**
 * Derives an object of simple fields: the answer to a question, or settings. For any other type it reports the reasons
 * and returns undefined.
 */
export function deriveFields(analysis: Analysis, node: ts.TypeNode, options: FieldsOptions): DerivedSchema | undefined {
  const { conversion, subject, generic, notObject, badField, coded: reason, toField } = options;
  const { checker } = analysis;
  const type = checker.getTypeFromTypeNode(node);
  const collected = conversion.collect(subject, node, () => conversion.inline(conversion.convert(type, node)));
  const { schema, codec, problems } = assemble(conversion, collected, { isInline: true });
  const all = [...collected.problems, ...problems];
  const report = ({ code, message }: Report) => analysis.report(code, node, message(node.getText(), ""));
  if (all.some(({ code }) => code === "PF2007")) {
    report(generic);
    return undefined;
  }
  if (analysis.reportAll(all, node)) return undefined;
  if (schema.type !== "object" || schema.properties === undefined || schema.additionalProperties !== false) {
    report(notObject);
    return undefined;
  }
  const coded = codec?.plan.kind === "object" ? (codec.plan.properties ?? {}) : {};
  const fields: [string, DerivedSchema][] = [];
  let isBroken = false;
  for (const [name, property] of Object.entries(schema.properties)) {
    const field = Object.hasOwn(coded, name) ? reason : toField(property, name);
    if (typeof field !== "string") {
      fields.push([name, field]);
      continue;
    }
    const declaration = checker.getPropertyOfType(type, name)?.valueDeclaration;
    const place = declaration && analysis.origins.isProject(declaration.getSourceFile()) ? declaration : node;
    analysis.report(badField.code, place, badField.message(name, field));
    isBroken = true;
  }
  if (isBroken) return undefined;
  return {
    type: "object",
    properties: Object.fromEntries(fields),
    ...(schema.required && { required: schema.required }),
  };
}
