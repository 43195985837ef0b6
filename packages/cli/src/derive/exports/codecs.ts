import { basename } from "node:path";
import ts from "typescript";
import type { DiagnosticCode } from "../model/diagnostics.ts";
import type { DerivedSchema, Json } from "../model/json-schema.ts";
import type { Problem } from "../types/conversion.ts";
import type { FoundCodec } from "../types/custom-codecs.ts";
import { JSON_FORMS } from "../types/platform.ts";
import { constantOf } from "../types/primitive.ts";
import { aliasTarget, isNamed } from "../types/type-node.ts";
import { type Analysis, callsOf, locate } from "./analysis.ts";
import { isValueExport } from "./exports.ts";

/** An export that the emitted entry must add: `export { name as exportName } from file`. */
export interface AddedExport {
  readonly exportName: string;
  readonly file: string;
  readonly name: string;
}

/** Starts the names of added exports. */
const PREFIX = "profferCodec";

/**
 * Finds the calls of `defineCodec` in the author's files, and adds their codecs to the analysis. Returns a function that
 * returns the exports that the emitted entry needs: those of codecs that served types use.
 */
export function findCodecs(analysis: Analysis, files: readonly ts.SourceFile[], entry: ts.SourceFile | undefined) {
  const { checker, codecs } = analysis;
  /** The names of the entry's exports, by declaration. */
  const served: ReadonlyMap<ts.Node, string> = entry ? exportsOf(analysis, entry) : new Map();
  const taken = new Set(served.values());
  const added = new Map<FoundCodec, AddedExport>();

  function add(call: ts.CallExpression): void {
    const [value, json] = checker.getTypeArguments(checker.getTypeAtLocation(call) as ts.TypeReference);
    if (value === undefined || json === undefined) return;
    const problems: Problem[] = [];
    const report: Report = (code, message, node = call) => {
      analysis.report(code, node, message);
      problems.push({ code, message, node });
    };
    const name = checker.typeToString(value);
    const options = readOptions(checker, call, name, report);
    if (!hasTypes(checker, call, [value, json], options, report)) return;
    const holder = holderOf(call);
    const place = holder && exportOf(holder);
    if (place === undefined) {
      report(
        "PF1802",
        `The codec of '${name}' must be exported from its file, so that calls can find it. Write: export const name = defineCodec<…>(…).`,
      );
    }
    const exportName = place?.exportName ?? "";
    const symbol = holder && ts.isVariableDeclaration(holder) ? checker.getSymbolAtLocation(holder.name) : undefined;
    const [, jsonNode] = call.typeArguments ?? [];
    const isPlain = isPlainObject(analysis, value);
    const codec = { value, json, jsonNode, symbol, node: holder ?? call, exportName, problems, isPlain, ...options };
    const earlier = codecs.add(codec);
    if (earlier !== undefined) {
      const { file, line } = locate(earlier.node);
      const message = `'${name}' has two codecs: this one and the one in ${basename(file)}, line ${line}. Remove one of them.`;
      report("PF1801", message);
      earlier.problems.push({ code: "PF1801", message, node: call });
    } else if (place?.isAdded) {
      added.set(codec, place);
    }
  }

  function exportOf(holder: ts.Node): (AddedExport & { isAdded: boolean }) | undefined {
    const file = holder.getSourceFile();
    const own = served.get(holder);
    const name = own ?? exportsOf(analysis, file).get(holder);
    if (name === undefined) return undefined;
    if (own !== undefined) return { exportName: own, file: file.fileName, name, isAdded: false };
    let number = added.size + 1;
    while (taken.has(`${PREFIX}${number}`)) number++;
    return { exportName: `${PREFIX}${number}`, file: file.fileName, name, isAdded: true };
  }

  for (const call of callsOf(analysis, files, "defineCodec")) add(call);
  return () => [...codecs.used].flatMap((codec) => added.get(codec) ?? []);
}

/** Whether the values of a type are objects that JSON writes by their properties. */
function isPlainObject({ origins }: Analysis, { flags, symbol }: ts.Type): boolean {
  if (!(flags & ts.TypeFlags.Object)) return false;
  return !(symbol && origins.isPlatform(symbol) && JSON_FORMS.has(symbol.name));
}

/** Whether the type arguments are types that a codec can have; reports PF1803 and PF1805. */
function hasTypes(
  checker: ts.TypeChecker,
  call: ts.CallExpression,
  [value, json]: readonly [ts.Type, ts.Type],
  { schema }: Options,
  report: Report,
): boolean {
  const isOpen = ts.TypeFlags.Any | ts.TypeFlags.Unknown | ts.TypeFlags.Never | ts.TypeFlags.Instantiable;
  const isMissing = value.flags & isOpen || json.flags & (isOpen & ~ts.TypeFlags.Unknown);
  if (isMissing || (json.flags & ts.TypeFlags.Unknown && schema === undefined)) {
    const [subject, type] = value.flags & isOpen ? ["type", value] : ["type of the JSON form", json];
    report(
      "PF1803",
      `The ${subject} of this codec is ${checker.typeToString(type as ts.Type)}. Write both types: defineCodec<Decimal, string>(…).`,
    );
    return false;
  }
  const reason = reasonAgainst(checker, value);
  if (reason !== undefined) {
    report(
      "PF1805",
      `A codec cannot be for '${checker.typeToString(value)}', which is ${reason}. Name a class, an interface or a branded type.`,
      call.typeArguments?.[0] ?? call,
    );
  }
  return reason === undefined;
}

type Report = (code: DiagnosticCode, message: string, node?: ts.Node) => void;
type Options = Pick<FoundCodec, "schema" | "hasIs" | "isClass">;

function readOptions(checker: ts.TypeChecker, call: ts.CallExpression, name: string, report: Report): Options {
  const [given] = call.arguments;
  const type = given && checker.getTypeAtLocation(given);
  if (type && type.getConstructSignatures().length > 0) return { schema: undefined, hasIs: false, isClass: true };
  const isClass = false;
  const hasIs = type !== undefined && checker.getPropertyOfType(type, "is") !== undefined;
  if (given === undefined || type === undefined || checker.getPropertyOfType(type, "schema") === undefined) {
    return { schema: undefined, hasIs, isClass };
  }
  const property =
    ts.isObjectLiteralExpression(given) &&
    given.properties.find((each) => each.name !== undefined && each.name.getText() === "schema");
  const schema = property && ts.isPropertyAssignment(property) ? constantOf(checker, property.initializer) : undefined;
  if (isSchema(schema)) return { schema, hasIs, isClass };
  report(
    "PF1804",
    `The schema of the codec of '${name}' must be an object literal of constants without $ref, because clients receive it before the module is imported.`,
    property || given,
  );
  return { schema: {}, hasIs, isClass };
}

/** References would be resolved in the schema of each function, which has other definitions. */
function isSchema(value: Json | undefined): value is DerivedSchema & { readonly [key: string]: Json } {
  return (
    typeof value === "object" && value !== null && !Array.isArray(value) && !JSON.stringify(value).includes('"$ref"')
  );
}

/** Returns why a type cannot have a codec. */
function reasonAgainst(checker: ts.TypeChecker, type: ts.Type): string | undefined {
  if (type.isUnion()) return "a union";
  if (!(type.flags & (ts.TypeFlags.Object | ts.TypeFlags.Intersection))) return "a primitive type";
  if (checker.isArrayLikeType(type)) return "an array";
  if (type.getCallSignatures().length > 0) return "a function";
  if (checker.getPropertyOfType(type, "then") !== undefined) return "a promise, but codecs are synchronous";
  return isNamed(type) || type.aliasSymbol !== undefined ? undefined : "a type without a name";
}

/** Returns the declaration whose value is the codec itself. */
function holderOf(call: ts.CallExpression): ts.Node | undefined {
  let node: ts.Node = call;
  while (ts.isParenthesizedExpression(node.parent) || ts.isSatisfiesExpression(node.parent)) node = node.parent;
  const { parent } = node;
  return ts.isVariableDeclaration(parent) || ts.isExportAssignment(parent) ? parent : undefined;
}

/** Returns the names of a module's exports, by the declaration of their values. */
function exportsOf({ checker }: Analysis, file: ts.SourceFile): Map<ts.Node, string> {
  const module = checker.getSymbolAtLocation(file);
  const found = new Map<ts.Node, string>();
  for (const symbol of module ? checker.getExportsOfModule(module) : []) {
    if (!isValueExport(checker, symbol)) continue;
    for (const declaration of aliasTarget(checker, symbol).declarations ?? []) found.set(declaration, symbol.name);
  }
  return found;
}
