import { concat, decodeBase64Url, toBase64Url } from "./bytes.ts";

/** The parts of a sealed token: which key sealed it, the initial vector, and the sealed text with its tag. */
export interface TokenParts {
  readonly mark: Uint8Array;
  readonly iv: Uint8Array<ArrayBuffer>;
  readonly body: Uint8Array<ArrayBuffer>;
}

export const MARK_BYTES = 4;
export const IV_BYTES = 12;
export const TAG_BYTES = 16;

const VERSION = 1;
const HEAD_BYTES = 1 + MARK_BYTES + IV_BYTES;

/** Writes a token. */
export function writeToken(mark: Uint8Array, iv: Uint8Array, ...body: readonly Uint8Array[]): string {
  return toBase64Url(concat([Uint8Array.of(VERSION), mark, iv, ...body]));
}

/** Takes a token apart; undefined for what cannot be one. */
export function readToken(token: string): TokenParts | undefined {
  const bytes = decodeBase64Url(token);
  if (bytes === undefined || bytes[0] !== VERSION || bytes.length < HEAD_BYTES + TAG_BYTES) return undefined;
  return {
    mark: bytes.subarray(1, 1 + MARK_BYTES),
    iv: bytes.subarray(1 + MARK_BYTES, HEAD_BYTES),
    body: bytes.subarray(HEAD_BYTES),
  };
}
