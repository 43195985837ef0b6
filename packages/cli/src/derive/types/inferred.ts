import type ts from "typescript";
import type { Conversion } from "../model/conversion.ts";
import { aliasesOf } from "./type-node.ts";

/** Libraries whose schemas have a type helper such as `z.infer<typeof schema>`. */
const SCHEMA_LIBRARIES = new Set(["zod", "valibot", "yup", "superstruct", "io-ts", "@sinclair/typebox", "typebox"]);

/** Reports a parameter whose type is inferred from a schema: lengths, ranges and formats are not part of the type. */
export function reportLostConstraints(conversion: Conversion, node: ts.TypeNode | undefined): void {
  const { checker, origins, subject } = conversion;
  for (const { declarations } of aliasesOf(checker, node)) {
    const library = declarations?.[0] && origins.packageOf(declarations[0].getSourceFile().fileName)?.name;
    if (library === undefined || !SCHEMA_LIBRARIES.has(library)) continue;
    conversion.report(
      "PF2022",
      `${subject} has a type that ${library} infers from a schema, without the constraints of the schema, such as lengths and formats. Pass the schema to defineTool, or write the constraints as tags.`,
    );
    return;
  }
}
