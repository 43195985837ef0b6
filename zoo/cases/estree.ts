import type { Expression, Identifier, Node, Program, SimpleLiteral } from "estree";
import { accepts, cannotReturn, refused, refuses, returns } from "../expect.ts";

/** Prints a program. */
export function print(program: Program): string {
  return program.type;
}
refused(print, "PF1106", "PF1108");

/** Renames an identifier. */
export const rename = (identifier: Identifier, name: string): Identifier => ({ ...identifier, name });
accepts(rename, [{ type: "Identifier", name: "a" }, "b"], [{ type: "Identifier", name: "a", range: [0, 1] }, "b"]);
refuses(rename, [{ type: "Literal", name: "a" }, "b"], [{ type: "Identifier", name: "a", range: [0] }, "b"]);
returns(rename, { type: "Identifier", name: "b", loc: null });
cannotReturn(rename, { type: "Identifier" });

/** Lists the kinds of nodes. */
export function kinds(of: Node["type"][]): Expression["type"][] {
  throw new Error(of.join());
}
accepts(kinds, [["Program", "IfStatement"]]);
refuses(kinds, [["Program", "If"]]);
returns(kinds, ["CallExpression"]);
cannotReturn(kinds, ["IfStatement"]);

/** Evaluates a literal. */
export function evaluate(literal: SimpleLiteral): SimpleLiteral["value"] {
  return literal.value;
}
accepts(evaluate, [{ type: "Literal", value: 5 }], [{ type: "Literal", value: null, raw: "null" }]);
refuses(evaluate, [{ type: "Literal", value: [] }], [{ type: "Identifier", value: 5 }]);
