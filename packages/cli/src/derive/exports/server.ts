import type ts from "typescript";
import type { Derivation } from "../model/description.ts";
import { aliasTarget } from "../types/type-node.ts";
import type { Analysis } from "./analysis.ts";
import type { Candidate } from "./exports.ts";

export type ModuleForm = Derivation["form"];

/** The export name of a server that gets the functions of its module. */
const SERVER_EXPORT = "server";
/** The maximum number of names in one warning. */
const MAX_NAMES = 5;

/** Whether an export is a server, or becomes one when it is awaited. */
export function isServerExport(analysis: Analysis, symbol: ts.Symbol): boolean {
  return awaitsServer(analysis, typeOf(analysis, symbol));
}

/**
 * Decides the form of a module by the servers and the functions that it exports. Reports the servers that cannot be
 * served, and functions beside a default server.
 */
export function decideForm(
  analysis: Analysis,
  servers: readonly ts.Symbol[],
  candidates: readonly Candidate[],
): ModuleForm {
  const main = servers.find(({ name }) => name === "default");
  const named = servers.filter((symbol) => symbol !== main);
  const own = named.find(({ name }) => name === SERVER_EXPORT);
  const used = main ?? own ?? named[0];
  if (used === undefined) return "functions";
  reportPromise(analysis, used);
  const other = named.find((symbol) => !isSame(analysis, symbol, used));
  if (main !== undefined) return formOfDefault(analysis, main, own, other, candidates);
  if (other !== undefined) {
    analysis.report(
      "PF1701",
      placeOf(analysis, other),
      `The module exports two servers, '${used.name}' and '${other.name}'. Export one of them as '${SERVER_EXPORT}', and mark the other @internal.`,
    );
    return "functions";
  }
  if (own !== undefined) return "combined";
  analysis.report(
    "PF1702",
    placeOf(analysis, used),
    `'${used.name}' is a server, but only an export named '${SERVER_EXPORT}' is served. Rename it (export const ${SERVER_EXPORT} = …), or mark it @internal.`,
  );
  return "functions";
}

/** A default server is the whole server, so that no helper function becomes a tool by accident. */
function formOfDefault(
  analysis: Analysis,
  main: ts.Symbol,
  own: ts.Symbol | undefined,
  other: ts.Symbol | undefined,
  candidates: readonly Candidate[],
): ModuleForm {
  const dropped = candidates.filter(({ signature }) => !awaitsServer(analysis, signature.getReturnType()));
  // Two names for one server mean the same if there is no function that would be added to one of them.
  if (own !== undefined && (dropped.length > 0 || !isSame(analysis, own, main))) {
    analysis.report(
      "PF1701",
      placeOf(analysis, own),
      `The module exports two servers, 'default' and '${own.name}'. A default export is the whole server; the exported functions are added to one named '${SERVER_EXPORT}'. Remove one of the two exports.`,
    );
    return "functions";
  }
  const names = [...dropped.map(({ path }) => path.join(".")), ...(other === undefined ? [] : [other.name])];
  if (names.length > 0) {
    analysis.report(
      "PF2201",
      placeOf(analysis, main),
      `A default export is the whole server, so ${listNames(names)} not served. To add exported functions to the server, write export const ${SERVER_EXPORT} = … instead of export default. Otherwise mark them @internal.`,
    );
  }
  return "server";
}

function listNames(names: readonly string[]): string {
  const shown = names.slice(0, MAX_NAMES).map((name) => `'${name}'`);
  if (names.length > MAX_NAMES) shown.push(`${names.length - MAX_NAMES} more`);
  if (names.length === 1) return `${shown[0]} is`;
  return `${shown.slice(0, -1).join(", ")} and ${shown.at(-1)} are`;
}

function reportPromise(analysis: Analysis, symbol: ts.Symbol): void {
  if (isServer(analysis, typeOf(analysis, symbol))) return;
  const write = symbol.name === "default" ? "export default await …" : `export const ${SERVER_EXPORT} = await …`;
  analysis.report(
    "PF1703",
    placeOf(analysis, symbol),
    `The export '${symbol.name}' is a promise of a server. Await it: ${write}`,
  );
}

function awaitsServer(analysis: Analysis, type: ts.Type): boolean {
  return isServer(analysis, type) || isServer(analysis, analysis.checker.getAwaitedType(type));
}

/** Also recognizes a server with additional members, as `Object.assign` returns it. */
function isServer({ checker, origins }: Analysis, type: ts.Type | undefined): boolean {
  if (type === undefined) return false;
  const given = checker.getNonNullableType(type);
  const parts = given.isIntersection() ? given.types : [given];
  return parts.some(({ symbol }) => origins.isRuntime(symbol, "Server"));
}

function typeOf({ checker }: Analysis, symbol: ts.Symbol): ts.Type {
  return checker.getTypeOfSymbol(aliasTarget(checker, symbol));
}

function isSame({ checker }: Analysis, one: ts.Symbol, other: ts.Symbol): boolean {
  return aliasTarget(checker, one) === aliasTarget(checker, other);
}

/** Returns the declaration of an export in the author's files: of the server, or of its re-export. */
function placeOf(analysis: Analysis, symbol: ts.Symbol): ts.Node {
  const places = [aliasTarget(analysis.checker, symbol), symbol].flatMap(({ declarations }) => declarations ?? []);
  const own = places.find((node) => analysis.origins.isProject(node.getSourceFile()));
  return own ?? (places[0] as ts.Node);
}
