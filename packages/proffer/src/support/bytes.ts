/** The part of Node's `Buffer` that is used here; other runtimes use the standard functions below. */
interface NodeGlobals {
  readonly Buffer?: {
    from(bytes: ArrayBufferLike, offset: number, length: number): { toString(encoding: Base64): string };
    from(text: string, encoding: Base64 | "latin1" | "utf8"): Uint8Array<ArrayBuffer>;
    byteLength(text: string): number;
    concat(parts: readonly Uint8Array[]): Uint8Array<ArrayBuffer>;
  };
}

type Base64 = "base64" | "base64url";

const { Buffer: NodeBuffer } = globalThis as NodeGlobals;
const encoder = /* @__PURE__ */ new TextEncoder();

/** Encodes bytes as standard base64, with `Buffer` if the runtime has it. */
export function toBase64(bytes: Uint8Array): string {
  return nodeBase64(bytes, "base64") ?? binaryBase64(bytes);
}

/** Encodes bytes as unpadded base64url, which needs no escaping in URLs, headers or JSON. */
export function toBase64Url(bytes: Uint8Array): string {
  const url = nodeBase64(bytes, "base64url");
  return url ?? stripPadding(binaryBase64(bytes)).replaceAll("+", "-").replaceAll("/", "_");
}

/** A text of so many random bytes, for names and ids that nobody can guess. */
export function randomText(bytes: number): string {
  return toBase64Url(crypto.getRandomValues(new Uint8Array(bytes)));
}

function nodeBase64(bytes: Uint8Array, kind: Base64): string | undefined {
  return NodeBuffer?.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString(kind);
}

function binaryBase64(bytes: Uint8Array): string {
  let binary = "";
  for (let at = 0; at < bytes.length; at += 0x8000) {
    binary += String.fromCharCode(...bytes.subarray(at, at + 0x8000));
  }
  return btoa(binary);
}

export function concat(parts: readonly Uint8Array[]): Uint8Array<ArrayBuffer> {
  if (NodeBuffer) return NodeBuffer.concat(parts);
  const whole = new Uint8Array(parts.reduce((size, part) => size + part.length, 0));
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return whole;
}

/** Encodes a text as UTF-8. `Buffer` takes small texts from its pool, which saves an allocation for each. */
export function utf8Bytes(text: string): Uint8Array<ArrayBuffer> {
  return NodeBuffer ? NodeBuffer.from(text, "utf8") : (encoder.encode(text) as Uint8Array<ArrayBuffer>);
}

/** The length of a text in UTF-8. */
export function utf8Length(text: string): number {
  return NodeBuffer ? NodeBuffer.byteLength(text) : encoder.encode(text).length;
}

/** Encodes a text that contains only ASCII characters. */
export function asciiBytes(text: string): Uint8Array {
  return NodeBuffer ? NodeBuffer.from(text, "latin1") : encoder.encode(text);
}

/** Decodes standard base64, with or without padding; returns undefined for a text that no encoder produces. */
export function decodeBase64(text: string): Uint8Array<ArrayBuffer> | undefined {
  const bytes = NodeBuffer ? NodeBuffer.from(text, "base64") : decodeBinary(text);
  // Stray characters and nonzero leftover bits are rejected: otherwise several texts would decode to the same bytes.
  return bytes !== undefined && stripPadding(toBase64(bytes)) === stripPadding(text) ? bytes : undefined;
}

/** Decodes unpadded base64url; returns undefined for a text that `toBase64Url` never produces. */
export function decodeBase64Url(text: string): Uint8Array<ArrayBuffer> | undefined {
  const bytes = NodeBuffer
    ? NodeBuffer.from(text, "base64url")
    : decodeBinary(text.replaceAll("-", "+").replaceAll("_", "/"));
  return bytes !== undefined && toBase64Url(bytes) === text ? bytes : undefined;
}

function decodeBinary(text: string): Uint8Array<ArrayBuffer> | undefined {
  try {
    return Uint8Array.from(atob(text), (char) => char.charCodeAt(0));
  } catch {
    return undefined;
  }
}

function stripPadding(text: string): string {
  return text.replace(/={1,2}$/, "");
}

/**
 * The entries of 156 tools of the fixtures have about 4.4 bytes for each token of OpenAI's o200k and of Anthropic's
 * published tokenizer; single tools have 3.8 to 5.1.
 */
export const BYTES_PER_TOKEN = 4.4;

/** Estimates the number of tokens. */
export function tokensOf(bytes: number): number {
  return Math.round(bytes / BYTES_PER_TOKEN);
}
