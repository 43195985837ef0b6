import type { Identifier } from "estree";
import { accepts } from "../expect.ts";

/** Prints a program. */
export function print(program: { type: "Program"; body: Pick<Identifier, "type" | "name">[] }): string {
  return program.type;
}
accepts(print, [{ type: "Program", body: [{ type: "Identifier", name: "a" }] }]);
