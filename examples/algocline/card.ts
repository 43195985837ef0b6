import { RpcError } from "proffer";
import { parse } from "smol-toml";
import { firstLine } from "./packages.ts";

/** The JSON of a card, which is TOML on disk. Dates become texts. @throws {RpcError} for a card that is not TOML. */
export function cardToJson(toml: string, id: string): string {
  try {
    return JSON.stringify(parse(toml, { integersAsBigInt: "asNeeded" }), exactly);
  } catch (cause) {
    throw new RpcError("internal_error", `Failed to parse card '${id}': ${firstLine(cause)}`, { cause });
  }
}

/** An integer that JavaScript cannot count keeps its digits as a text. */
function exactly(_: string, value: unknown): unknown {
  return typeof value === "bigint" ? String(value) : value;
}
