import { decodeBase64 } from "../support/bytes.ts";
import { UsageError } from "../support/usage-error.ts";
import type { ServerOptions } from "./options.ts";

const KEY_BYTES = 32;

/** The keys from the options or the environment. An invalid key is reported at the start. */
export function findKeys(given: ServerOptions["keys"]): readonly Uint8Array[] | undefined {
  if (given !== undefined) return given.flatMap((key) => (typeof key === "string" ? parseKeys(key) : [checkKey(key)]));
  const { process } = globalThis as { process?: { env?: { PROFFER_KEYS?: string } } };
  const text = process?.env?.PROFFER_KEYS;
  return text ? parseKeys(text) : undefined;
}

/** Parses the environment variable `PROFFER_KEYS`: base64 keys, separated by commas. */
function parseKeys(text: string): Uint8Array[] {
  return text.split(",").map((part) => {
    const binary = decodeBase64(part.trim());
    if (binary === undefined)
      throw new UsageError("PROFFER_KEYS must contain base64 keys of 32 bytes, separated by commas.");
    return checkKey(binary);
  });
}

/** Returns the key. @throws {UsageError} for a key of the wrong length. */
function checkKey(key: Uint8Array): Uint8Array {
  if (key.length === KEY_BYTES) return key;
  throw new UsageError(`A key must have 32 bytes, not ${key.length}. Generate one with: openssl rand -base64 32`);
}
