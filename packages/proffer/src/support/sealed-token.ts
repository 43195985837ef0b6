import { concat, decodeBase64Url, toBase64Url } from "./bytes.ts";

/** The parts of a sealed token: the id of its key, the initialization vector, and the ciphertext with its tag. */
export interface TokenParts {
  readonly keyId: Uint8Array;
  readonly iv: Uint8Array<ArrayBuffer>;
  readonly body: Uint8Array<ArrayBuffer>;
}

export const KEY_ID_BYTES = 4;
export const IV_BYTES = 12;
export const TAG_BYTES = 16;

const VERSION = 1;
const HEAD_BYTES = 1 + KEY_ID_BYTES + IV_BYTES;

export function writeToken(keyId: Uint8Array, iv: Uint8Array, ...body: readonly Uint8Array[]): string {
  return toBase64Url(concat([Uint8Array.of(VERSION), keyId, iv, ...body]));
}

/** Splits a token into its parts; returns undefined for a malformed token. */
export function readToken(token: string): TokenParts | undefined {
  const bytes = decodeBase64Url(token);
  if (bytes === undefined || bytes[0] !== VERSION || bytes.length < HEAD_BYTES + TAG_BYTES) return undefined;
  return {
    keyId: bytes.subarray(1, 1 + KEY_ID_BYTES),
    iv: bytes.subarray(1 + KEY_ID_BYTES, HEAD_BYTES),
    body: bytes.subarray(HEAD_BYTES),
  };
}
