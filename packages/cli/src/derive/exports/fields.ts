import type ts from "typescript";
import type { Conversion } from "../model/conversion.ts";
import type { DiagnosticCode } from "../model/diagnostics.ts";
import type { DerivedSchema } from "../model/json-schema.ts";
import { assemble } from "../types/assemble.ts";
import type { Session } from "./session.ts";

/** A diagnostic that depends on the text of the type, or on a field and the reason against it. */
interface Report {
  readonly code: DiagnosticCode;
  readonly message: (text: string, reason: string) => string;
}

/** How to derive an object of simple fields. */
export interface FieldsOptions {
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
export function deriveFields(session: Session, node: ts.TypeNode, options: FieldsOptions): DerivedSchema | undefined {
  const { conversion, subject, generic, notObject, badField, coded: reason, toField } = options;
  const { checker } = session;
  const type = checker.getTypeFromTypeNode(node);
  const collected = conversion.collect(subject, node, () => conversion.inline(conversion.convert(type, node)));
  const { schema, codec, problems } = assemble(conversion, collected, { isInline: true });
  const all = [...collected.problems, ...problems];
  const report = ({ code, message }: Report) => session.report(code, node, message(node.getText(), ""));
  if (all.some(({ code }) => code === "PF2007")) {
    report(generic);
    return undefined;
  }
  if (session.reportAll(all, node)) return undefined;
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
    const place = declaration && session.origins.isProject(declaration.getSourceFile()) ? declaration : node;
    session.report(badField.code, place, badField.message(name, field));
    isBroken = true;
  }
  if (isBroken) return undefined;
  return {
    type: "object",
    properties: Object.fromEntries(fields),
    ...(schema.required && { required: schema.required }),
  };
}
