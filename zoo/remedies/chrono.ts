import { type ParsedResult, parse } from "chrono-node";
import { gives } from "../expect.ts";

type Found = Pick<ParsedResult, "index" | "text" | "refDate">;

/** Finds dates. */
export function find(text: string): Found[] {
  return parse(text, new Date(0)).map(({ index, text: found, refDate }) => ({ index, text: found, refDate }));
}
gives(find, ["on 2026-01-05"], [{ index: 3, text: "2026-01-05", refDate: "1970-01-01T00:00:00.000Z" }]);
