import { RpcError } from "proffer";
import { parse } from "smol-toml";
import { firstLine } from "./packages.ts";

/** Converts a card from TOML to JSON. Dates become strings. @throws {RpcError} if the card is not TOML. */
export function cardToJson(toml: string, id: string): string {
  try {
    return JSON.stringify(parse(toml, { integersAsBigInt: "asNeeded" }), exactly);
  } catch (cause) {
    throw new RpcError("internal_error", `Failed to parse card '${id}': ${firstLine(cause)}`, { cause });
  }
}

/** Converts integers beyond JavaScript's safe range to strings, so that no digit is lost. */
function exactly(_: string, value: unknown): unknown {
  return typeof value === "bigint" ? String(value) : value;
}
