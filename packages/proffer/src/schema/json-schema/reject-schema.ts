import { UsageError } from "../../support/usage-error.ts";

/** Throws a `UsageError` for the schema at a pointer. */
export function rejectSchema(
  pointer: string,
  problem: string,
  code: "bad_schema" | "unsupported_keyword" | "unsafe_pattern" = "bad_schema",
): never {
  throw new UsageError(code, `In the schema, #${pointer} ${problem}.`);
}
