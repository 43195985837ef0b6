import Papa, { type ParseError, type ParseMeta, type ParseResult, type UnparseConfig } from "papaparse";
import { accepts, gives, refuses } from "../expect.ts";

interface Row {
  name: string;
  age: number;
}

/** Parses a table. Its meta.renamedHeaders is null, although the type has only an object or nothing. */
export function parse(text: string): ParseResult<Row> {
  return Papa.parse<Row>(text, { header: true, dynamicTyping: true });
}
gives(parse, ["name,age\nA,5"], {
  data: [{ name: "A", age: 5 }],
  errors: [],
  meta: { delimiter: ",", linebreak: "\n", aborted: false, truncated: false, cursor: 12, fields: ["name", "age"] },
});

/** Parses rows. */
export async function rows(
  text: string,
): Promise<{ data: string[][]; errors: ParseError[]; cursor: ParseMeta["cursor"] }> {
  const { data, errors, meta } = Papa.parse<string[]>(text);
  return { data, errors, cursor: meta.cursor };
}
gives(rows, ['a,"b']);

/** Writes a table. */
export function write(
  rows: Record<string, string | number>[],
  options?: Pick<UnparseConfig, "delimiter" | "quotes">,
): string {
  return Papa.unparse(rows, options);
}
accepts(write, [[], { quotes: [true] }], [[], { quotes: false }]);
gives(write, [[{ a: 1, b: "x;y" }], { delimiter: ";" }], 'a;b\r\n1;"x;y"');
refuses(write, [[{ a: true }]], [[], { delimiter: 5 }]);
