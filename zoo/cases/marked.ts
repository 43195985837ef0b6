import { lexer, type MarkedOptions, marked, type Tokens } from "marked";
import { accepts, gives, refuses } from "../expect.ts";

/** Converts Markdown. */
export async function convert(text: string, options?: Pick<MarkedOptions, "gfm" | "breaks">): Promise<string> {
  return marked.parse(text, { ...options, async: true });
}
accepts(convert, ["a", { gfm: true }], ["a", {}]);
gives(convert, ["# A\n"], "<h1>A</h1>\n");
refuses(convert, ["a", { gfm: "yes" }]);

/** Lists code blocks. */
export function code(text: string): Tokens.Code[] {
  return lexer(text).filter((token): token is Tokens.Code => token.type === "code");
}
gives(code, ["```ts\na\n```"], [{ type: "code", raw: "```ts\na\n```", lang: "ts", text: "a" }]);

/** Lists tables. */
export function tables(text: string): Tokens.Table[] {
  return lexer(text).filter((token): token is Tokens.Table => token.type === "table");
}
gives(tables, ["|a|b|\n|-|:-:|\n|1|2|"]);
