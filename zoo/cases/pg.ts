import pg, { DatabaseError } from "pg";
import { gives } from "../expect.ts";

/** Explains why a query failed. */
export function explain(message: string): { error: DatabaseError; errors: Error[] } {
  const error = new DatabaseError(message, message.length, "error");
  Object.assign(error, { code: "23505", detail: "Key (token)=(SECRET) already exists." });
  return { error, errors: [error] };
}
gives(explain, ["duplicate key"], {
  error: { name: "error", message: "duplicate key" },
  errors: [{ name: "error", message: "duplicate key" }],
});

/** Parses a value as the driver does. */
export function parse(text: string): { at: Date; list: string[]; json: unknown } {
  const { builtins, getTypeParser } = pg.types;
  return {
    at: getTypeParser(builtins.TIMESTAMPTZ)(text),
    list: getTypeParser(1009 as typeof builtins.TEXT)("{a,b}") as unknown as string[],
    json: getTypeParser(builtins.JSONB)('{"a":[1]}'),
  };
}
gives(parse, ["2026-01-01 00:00:00+00"], { at: "2026-01-01T00:00:00.000Z", list: ["a", "b"], json: { a: [1] } });
