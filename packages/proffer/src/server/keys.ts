import { checkKey, parseKeys } from "../support/seal.ts";
import type { ServerOptions } from "./options.ts";

/** The keys from the options or the environment. An invalid key is reported at the start. */
export function findKeys(given: ServerOptions["keys"]): readonly Uint8Array[] | undefined {
  if (given !== undefined) return given.flatMap((key) => (typeof key === "string" ? parseKeys(key) : [checkKey(key)]));
  const { process } = globalThis as { process?: { env?: { PROFFER_KEYS?: string } } };
  const text = process?.env?.PROFFER_KEYS;
  return text ? parseKeys(text) : undefined;
}
