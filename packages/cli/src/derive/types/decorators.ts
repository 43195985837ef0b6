import { patternProblem } from "proffer/derived";
import ts from "typescript";
import { withInteger } from "../comments/tag.ts";
import { type DerivedSchema, type Json, typesOf } from "../model/json-schema.ts";
import type { Conversion } from "./conversion.ts";
import { constantOf } from "./primitive.ts";
import { aliasTarget } from "./type-node.ts";

type Arguments = readonly (Json | undefined)[];
type Keywords = (given: Arguments, schema: DerivedSchema) => DerivedSchema | undefined;

/** The only package whose decorators have keywords: its classes are the arguments of NestJS. */
const PACKAGE = "class-validator";

const none: Keywords = () => ({});
const limit =
  (name: "minimum" | "maximum" | "minLength" | "maxLength" | "minItems" | "maxItems" | "multipleOf"): Keywords =>
  ([value]) =>
    typeof value === "number" ? { [name]: value } : undefined;
const format =
  (name: string): Keywords =>
  () => ({ format: name });

/** The keywords of each decorator. Those with none say what the type says, or only what to do with a missing value. */
const DECORATORS: ReadonlyMap<string, Keywords> = new Map<string, Keywords>([
  ["Min", limit("minimum")],
  ["Max", limit("maximum")],
  ["IsPositive", () => ({ exclusiveMinimum: 0 })],
  ["IsNegative", () => ({ exclusiveMaximum: 0 })],
  ["IsDivisibleBy", limit("multipleOf")],
  ["IsInt", (_, schema) => withInteger(schema)],
  ["MinLength", limit("minLength")],
  ["MaxLength", limit("maxLength")],
  ["Length", ([min, max], schema) => ({ ...limit("minLength")([min], schema), ...limit("maxLength")([max], schema) })],
  ["IsNotEmpty", (_, schema) => (typesOf(schema)?.has("string") ? { minLength: 1 } : {})],
  ["Matches", ([source]) => (isPattern(source) ? { pattern: source } : undefined)],
  ["IsEmail", format("email")],
  ["IsUUID", format("uuid")],
  ["ArrayMinSize", limit("minItems")],
  ["ArrayMaxSize", limit("maxItems")],
  ["ArrayNotEmpty", () => ({ minItems: 1 })],
  ["ArrayUnique", () => ({ uniqueItems: true })],
  ["IsIn", ([values]) => (Array.isArray(values) ? { enum: values } : undefined)],
  ...["IsString", "IsNumber", "IsBoolean", "IsArray", "IsObject", "IsEnum", "IsDate", "IsOptional", "IsDefined"].map(
    (name) => [name, none] as const,
  ),
  ...["ValidateNested", "ValidateIf", "Allow"].map((name) => [name, none] as const),
]);

function isPattern(source: Json | undefined): source is string {
  return typeof source === "string" && patternProblem(source) === undefined;
}

/** Adds the constraints that decorators of a parameter's class declare. Others are reported. */
export function withDecorators(
  conversion: Conversion,
  schema: DerivedSchema,
  declaration: ts.Declaration | undefined,
): DerivedSchema {
  if (conversion.direction === "out" || declaration === undefined || !ts.canHaveDecorators(declaration)) return schema;
  let constrained = schema;
  for (const { expression } of ts.getDecorators(declaration) ?? []) {
    const name = ts.isCallExpression(expression) ? nameIfValidator(conversion, expression) : undefined;
    if (name === undefined) continue;
    const given = (expression as ts.CallExpression).arguments.map((argument) => argumentOf(conversion, argument));
    const isEach = given.some(
      (each) => typeof each === "object" && each !== null && "each" in each && each.each === true,
    );
    const target = isEach ? (constrained.items ?? {}) : constrained;
    const keywords = target.$ref === undefined ? DECORATORS.get(name)?.(given, target) : undefined;
    if (keywords !== undefined) {
      const whole = { ...target, ...keywords };
      constrained = isEach ? { ...constrained, items: whole } : whole;
      continue;
    }
    const message = `${conversion.subject}: the schema does not have the constraint @${name}, so the function must check it. Or write a tag, such as @pattern.`;
    conversion.report("PF3005", message, expression);
  }
  return constrained;
}

/** Returns the declared name of a decorator of the package. */
function nameIfValidator({ checker, origins }: Conversion, { expression }: ts.CallExpression): string | undefined {
  const symbol = checker.getSymbolAtLocation(expression);
  const target = symbol && aliasTarget(checker, symbol);
  const file = target?.declarations?.[0]?.getSourceFile();
  return file && origins.packageOf(file.fileName)?.name === PACKAGE ? target?.name : undefined;
}

/** Returns a constant argument; of a regular expression without flags, its source. */
function argumentOf({ checker }: Conversion, argument: ts.Expression): Json | undefined {
  if (!ts.isRegularExpressionLiteral(argument)) return constantOf(checker, argument);
  return /^\/(.*)\/$/s.exec(argument.text)?.[1];
}
