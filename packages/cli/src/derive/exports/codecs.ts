import { basename } from "node:path";
import ts from "typescript";
import type { Problem } from "../model/conversion.ts";
import type { DiagnosticCode } from "../model/diagnostics.ts";
import type { DerivedSchema, Json } from "../model/json-schema.ts";
import { type FoundCodec, isNamed } from "../types/custom-codecs.ts";
import { hasJsonForm } from "../types/platform.ts";
import { constantOf } from "../types/primitive.ts";
import { aliasTarget } from "../types/type-node.ts";
import { isValueExport } from "./exports.ts";
import { locate, type Session } from "./session.ts";

/** An export that the emitted entry must add: `export { name as exportName } from file`. */
export interface AddedExport {
  readonly exportName: string;
  readonly file: string;
  readonly name: string;
}

/** Starts the names of added exports. */
const PREFIX = "profferCodec";

/** Finds the calls of `defineCodec` in the author's files, and adds their codecs to the session. */
export class CodecFinder {
  readonly #session: Session;
  /** The names of the entry's exports, by declaration. */
  readonly #served: ReadonlyMap<ts.Node, string>;
  readonly #taken: ReadonlySet<string>;
  readonly #added = new Map<FoundCodec, AddedExport>();

  constructor(session: Session, files: readonly ts.SourceFile[], entry: ts.SourceFile | undefined) {
    this.#session = session;
    this.#served = entry ? exportsOf(session, entry) : new Map();
    this.#taken = new Set(this.#served.values());
    for (const file of files) {
      if (!file.isDeclarationFile && /\bdefineCodec\b/.test(file.text)) this.#visit(file);
    }
  }

  /** Returns the exports that the emitted entry needs: those of codecs that served types use. */
  added(): AddedExport[] {
    return [...this.#session.codecs.used].flatMap((codec) => this.#added.get(codec) ?? []);
  }

  #visit(node: ts.Node): void {
    if (ts.isCallExpression(node) && this.#isDefinition(node)) this.#add(node);
    ts.forEachChild(node, (child) => this.#visit(child));
  }

  #isDefinition({ expression }: ts.CallExpression): boolean {
    const { checker, origins } = this.#session;
    if (!ts.isIdentifier(expression) && !ts.isPropertyAccessExpression(expression)) return false;
    const symbol = checker.getSymbolAtLocation(expression);
    return symbol !== undefined && origins.isRuntime(aliasTarget(checker, symbol), "defineCodec");
  }

  #add(call: ts.CallExpression): void {
    const { checker, codecs } = this.#session;
    const [value, json] = checker.getTypeArguments(checker.getTypeAtLocation(call) as ts.TypeReference);
    if (value === undefined || json === undefined) return;
    const problems: Problem[] = [];
    const report = (code: DiagnosticCode, message: string, node: ts.Node = call) => {
      this.#session.report(code, node, message);
      problems.push({ code, message, node });
    };
    const name = checker.typeToString(value);
    const options = readOptions(checker, call, name, report);
    if (!this.#hasTypes(call, value, json, options, report)) return;
    const holder = holderOf(call);
    const place = holder && this.#exportOf(holder);
    if (place === undefined) {
      report(
        "PF1802",
        `The codec of '${name}' must be exported from its file, so that calls can find it. Write: export const name = defineCodec<…>(…).`,
      );
    }
    const exportName = place?.exportName ?? "";
    const symbol = holder && ts.isVariableDeclaration(holder) ? checker.getSymbolAtLocation(holder.name) : undefined;
    const [, jsonNode] = call.typeArguments ?? [];
    const isPlain = this.#isPlain(value);
    const codec = { value, json, jsonNode, symbol, node: holder ?? call, exportName, problems, isPlain, ...options };
    const earlier = codecs.add(codec);
    if (earlier !== undefined) {
      const { file, line } = locate(earlier.node);
      const message = `'${name}' has two codecs: this one and the one in ${basename(file)}, line ${line}. Remove one of them.`;
      report("PF1801", message);
      earlier.problems.push({ code: "PF1801", message, node: call });
    } else if (place?.isAdded) {
      this.#added.set(codec, place);
    }
  }

  /** Whether the type arguments are types that a codec can have; reports PF1803 and PF1805. */
  #hasTypes(
    call: ts.CallExpression,
    value: ts.Type,
    json: ts.Type,
    { schema }: Options,
    report: (code: DiagnosticCode, message: string, node?: ts.Node) => void,
  ): boolean {
    const { checker } = this.#session;
    const isOpen = ts.TypeFlags.Any | ts.TypeFlags.Unknown | ts.TypeFlags.Never | ts.TypeFlags.Instantiable;
    const isMissing = value.flags & isOpen || json.flags & (isOpen & ~ts.TypeFlags.Unknown);
    if (isMissing || (json.flags & ts.TypeFlags.Unknown && schema === undefined)) {
      const [which, type] = value.flags & isOpen ? ["type", value] : ["type of the JSON form", json];
      report(
        "PF1803",
        `The ${which} of this codec is ${checker.typeToString(type as ts.Type)}. Write both types: defineCodec<Decimal, string>(…).`,
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

  #isPlain({ flags, symbol }: ts.Type): boolean {
    if (!(flags & ts.TypeFlags.Object)) return false;
    return !(symbol && this.#session.origins.isPlatform(symbol) && hasJsonForm(symbol.name));
  }

  #exportOf(holder: ts.Node): (AddedExport & { isAdded: boolean }) | undefined {
    const file = holder.getSourceFile();
    const served = this.#served.get(holder);
    const name = served ?? exportsOf(this.#session, file).get(holder);
    if (name === undefined) return undefined;
    if (served !== undefined) return { exportName: served, file: file.fileName, name, isAdded: false };
    let number = this.#added.size + 1;
    while (this.#taken.has(`${PREFIX}${number}`)) number++;
    return { exportName: `${PREFIX}${number}`, file: file.fileName, name, isAdded: true };
  }
}

interface Options {
  readonly schema: DerivedSchema | undefined;
  readonly hasIs: boolean;
}

function readOptions(
  checker: ts.TypeChecker,
  call: ts.CallExpression,
  name: string,
  report: (code: DiagnosticCode, message: string, node?: ts.Node) => void,
): Options {
  const [given] = call.arguments;
  const type = given && checker.getTypeAtLocation(given);
  const hasIs = type !== undefined && checker.getPropertyOfType(type, "is") !== undefined;
  if (given === undefined || type === undefined || checker.getPropertyOfType(type, "schema") === undefined) {
    return { schema: undefined, hasIs };
  }
  const property =
    ts.isObjectLiteralExpression(given) &&
    given.properties.find((each) => each.name !== undefined && each.name.getText() === "schema");
  const schema = property && ts.isPropertyAssignment(property) ? constantOf(checker, property.initializer) : undefined;
  if (isSchema(schema)) return { schema, hasIs };
  report(
    "PF1804",
    `The schema of the codec of '${name}' must be an object literal of constants without $ref, because clients receive it before the module is imported.`,
    property || given,
  );
  return { schema: {}, hasIs };
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
function exportsOf({ checker }: Session, file: ts.SourceFile): Map<ts.Node, string> {
  const module = checker.getSymbolAtLocation(file);
  const found = new Map<ts.Node, string>();
  for (const symbol of module ? checker.getExportsOfModule(module) : []) {
    if (!isValueExport(checker, symbol)) continue;
    for (const declaration of aliasTarget(checker, symbol).declarations ?? []) found.set(declaration, symbol.name);
  }
  return found;
}
