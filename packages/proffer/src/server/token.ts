import { decodeBase64, toBase64 } from "./base64.ts";

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

/** Writes a token as unpadded base64url, which needs no escaping anywhere. */
export function writeToken(mark: Uint8Array, iv: Uint8Array, ...body: readonly Uint8Array[]): string {
  const parts = [Uint8Array.of(VERSION), mark, iv, ...body];
  const whole = new Uint8Array(parts.reduce((size, part) => size + part.length, 0));
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return toBase64(whole).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
}

/** Takes a token apart; undefined for what cannot be one. */
export function readToken(token: string): TokenParts | undefined {
  if (!/^[A-Za-z0-9_-]+$/.test(token)) return undefined;
  const bytes = decodeBase64(token.replaceAll("-", "+").replaceAll("_", "/"));
  if (bytes === undefined || bytes[0] !== VERSION || bytes.length < HEAD_BYTES + TAG_BYTES) return undefined;
  return {
    mark: bytes.subarray(1, 1 + MARK_BYTES),
    iv: bytes.slice(1 + MARK_BYTES, HEAD_BYTES),
    body: bytes.slice(HEAD_BYTES),
  };
}
