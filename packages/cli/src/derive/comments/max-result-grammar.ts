import type { MaxResult } from "proffer";
import type { Grammar } from "./grammars.ts";

const FACTORS: { readonly [unit: string]: number } = { "": 1, k: 1000, M: 1_000_000 };

/** The least that `maxResult` allows. */
const LEAST = 1000;

/** A number of tokens or bytes, such as `10k tokens` or `40kB`. */
export const MAX_RESULT: Grammar<MaxResult> = {
  expected: `a number of tokens or bytes from ${LEAST}, such as 10k tokens or 40kB`,
  isOwn: true,
  parse(text) {
    const found = /^(\d+(?:\.\d+)?)\s*([kM]?)\s*(tokens|bytes|B)$/.exec(text.replaceAll(",", ""));
    const [, digits = "", factor = "", unit] = found ?? [];
    const value = Math.round(Number(digits) * (FACTORS[factor] ?? 1));
    if (!(value >= LEAST && Number.isSafeInteger(value))) return "invalid";
    return { value: unit === "tokens" ? { tokens: value } : { bytes: value } };
  },
};
