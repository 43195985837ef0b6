import type { ManifestCompanion } from "proffer/derived";
import ts from "typescript";
import { aliasTarget } from "../types/type-node.ts";
import type { Candidate } from "./exports.ts";
import type { Session } from "./session.ts";

/** Which options of a companion a function can have: its arguments by name, and whether it is a resource or a template. */
interface Possible {
  readonly what: "tool" | "prompt" | "resource" | "template";
  readonly names: readonly string[];
}

const OPTIONS = ["complete", "list", "exists", "watch"] as const;
const POSSIBLE: { readonly [What in Possible["what"]]: readonly string[] } = {
  tool: [],
  prompt: ["complete"],
  resource: ["exists", "watch"],
  template: OPTIONS,
};

/** The calls `companion(order, { … })` of the author's files. */
export class Companions {
  readonly #session: Session;
  /** By the declaration of the function. */
  readonly #calls = new Map<ts.Node, ts.CallExpression>();

  constructor(session: Session, files: readonly ts.SourceFile[]) {
    this.#session = session;
    for (const file of files) if (!file.isDeclarationFile && /\bcompanion\b/.test(file.text)) this.#visit(file);
  }

  /** Returns the manifest's member for the companion of a function, if it has one, and reports its mistakes. */
  of({ node, name }: Candidate, possible: Possible): { companion?: ManifestCompanion } {
    const call = this.#calls.get(node);
    if (call === undefined) return {};
    const companion: { -readonly [Name in keyof ManifestCompanion]: ManifestCompanion[Name] } = {};
    for (const option of this.#properties(call.arguments[1])) {
      if (!this.#isUsable(option, call, POSSIBLE[possible.what], `The companion of the ${possible.what} '${name}'`))
        continue;
      if (option.name !== "complete") companion[option.name as "list"] = true;
      else companion.complete = this.#completed(option, call, name, possible.names);
    }
    return { companion };
  }

  /** Reports the companions of functions that are not among the exports. */
  reportOthers(exports: readonly Candidate[]): void {
    for (const [node, call] of this.#calls) {
      if (exports.some((candidate) => candidate.node === node)) continue;
      this.#session.report(
        "PF1601",
        call,
        `The companion of '${call.arguments[0]?.getText()}' has no effect, because the module does not serve that function. Export it, or remove the companion.`,
      );
    }
  }

  #visit(node: ts.Node): void {
    if (ts.isCallExpression(node) && this.#isCompanion(node)) this.#add(node);
    ts.forEachChild(node, (child) => this.#visit(child));
  }

  #isCompanion({ expression }: ts.CallExpression): boolean {
    const { checker, origins } = this.#session;
    if (!ts.isIdentifier(expression) && !ts.isPropertyAccessExpression(expression)) return false;
    const symbol = checker.getSymbolAtLocation(expression);
    return symbol !== undefined && origins.isRuntime(aliasTarget(checker, symbol), "companion");
  }

  #add(call: ts.CallExpression): void {
    const { checker } = this.#session;
    const [target] = call.arguments;
    const symbol = target && checker.getSymbolAtLocation(target);
    const found = symbol && aliasTarget(checker, symbol);
    const node = found?.valueDeclaration ?? found?.declarations?.[0] ?? call;
    const text = target?.getText() ?? "";
    if (!ts.isExpressionStatement(call.parent) || !ts.isSourceFile(call.parent.parent)) {
      this.#session.report(
        "PF1604",
        call,
        `The companion of '${text}' must be a statement at the top level of the module, because clients learn of it before any function is called.`,
      );
    } else if (this.#calls.has(node)) {
      this.#session.report("PF1603", call, `'${text}' already has a companion. Join the options of both in one call.`);
      return;
    }
    this.#calls.set(node, call);
  }

  #properties(node: ts.Node | undefined): readonly ts.Symbol[] {
    const { checker } = this.#session;
    return node ? checker.getPropertiesOfType(checker.getTypeAtLocation(node)) : [];
  }

  #completed(option: ts.Symbol, call: ts.CallExpression, name: string, names: readonly string[]): string[] {
    const { checker } = this.#session;
    const properties = checker.getPropertiesOfType(checker.getTypeOfSymbol(option));
    return properties
      .filter((property) => this.#isUsable(property, call, names, `'complete' of '${name}'`))
      .map((property) => property.name);
  }

  /** Reports an option that the function cannot have, or that may be absent: the manifest must know. */
  #isUsable(option: ts.Symbol, call: ts.CallExpression, known: readonly string[], whose: string): boolean {
    const node = option.valueDeclaration ?? call;
    const place = this.#session.origins.isProject(node.getSourceFile()) ? node : call;
    if (!known.includes(option.name)) {
      const remedy = known.length > 0 ? `It can have ${known.join(", ")}.` : "Remove it.";
      this.#session.report("PF1602", place, `${whose} cannot have '${option.name}'. ${remedy}`);
      return false;
    }
    if (!(option.flags & ts.SymbolFlags.Optional)) return true;
    this.#session.report(
      "PF1602",
      place,
      `${whose} may have '${option.name}' or not, but clients must know before the module is imported. Write the options as an object literal.`,
    );
    return false;
  }
}
