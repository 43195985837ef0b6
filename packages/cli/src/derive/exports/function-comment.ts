import ts from "typescript";
import type { DocComment } from "../comments/doc-comment.ts";
import { docOfNode, docOfSymbol } from "../comments/docs.ts";
import { docOfMember } from "../comments/inherited-doc.ts";
import { libraryDoc } from "../comments/library-doc.ts";
import type { Session } from "./session.ts";

/** A function whose comment may be at several places. */
export interface CommentedFunction {
  symbol: ts.Symbol;
  /** The declaration of the served signature, which has its own comment if the function is overloaded. */
  served: ts.Node | undefined;
  /** The comment of the function that it wraps. */
  wrapped: DocComment | undefined;
  isOverloaded: boolean;
}

/**
 * Returns the comment of a function. Other declarations count only without one: the wrapped function, the implementation
 * of overloads, another overload, the base of a method, and the JavaScript next to a declaration file.
 */
export function commentOf(
  session: Session,
  { symbol, served, wrapped, isOverloaded }: CommentedFunction,
): DocComment | undefined {
  const own = isOverloaded ? undefined : docOfMember(session, symbol);
  const doc =
    own ??
    wrapped ??
    (served && docOfNode(served)) ??
    (isOverloaded ? (implementationDoc(symbol) ?? docOfMember(session, symbol)) : undefined) ??
    docInJavaScript(session, symbol);
  const isForeign = doc?.place && !session.origins.isProject(doc.place.file);
  return isForeign ? libraryDoc(doc, "function") : doc;
}

function implementationDoc({ declarations = [] }: ts.Symbol): DocComment | undefined {
  const implementation = declarations.find((node) => ts.isFunctionLike(node) && "body" in node && node.body);
  return implementation && docOfNode(implementation);
}

/** Returns the comment of the export with the same name in the JavaScript next to a declaration file. */
function docInJavaScript({ checker, origins }: Session, symbol: ts.Symbol): DocComment | undefined {
  const declared = symbol.declarations?.[0]?.getSourceFile();
  const file = declared && origins.implementation(declared);
  const module = file && checker.getSymbolAtLocation(file);
  const found = module && checker.getExportsOfModule(module).find(({ name }) => name === symbol.name);
  return found && docOfSymbol(found);
}
