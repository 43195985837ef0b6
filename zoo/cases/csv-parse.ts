import { CsvError, type Info } from "csv-parse";
import { parse } from "csv-parse/sync";
import { gives } from "../expect.ts";

/** Parses records. */
export function records(text: string): { record: Record<string, string>; info: Pick<Info, "lines" | "records"> }[] {
  const found = parse(text, { columns: true, info: true }) as unknown as {
    record: Record<string, string>;
    info: Info;
  }[];
  return found.map(({ record, info: { lines, records } }) => ({ record, info: { lines, records } }));
}
gives(records, ["a,b\n1,2"], [{ record: { a: "1", b: "2" }, info: { lines: 2, records: 1 } }]);

/** Parses numbers and dates. */
export function cast(text: string): (string | number | Date)[][] {
  return parse(text, { cast: true, cast_date: true });
}
gives(cast, ["1,x"], [[1, "x"]]);

/** Explains why a text is not valid. */
export function explain(text: string): CsvError | null {
  try {
    parse(text);
    return null;
  } catch (error) {
    return error instanceof CsvError ? error : null;
  }
}
gives(explain, ["a\nb,SECRET"], { name: "Error", message: "Invalid Record Length: expect 1, got 2 on line 2" });
