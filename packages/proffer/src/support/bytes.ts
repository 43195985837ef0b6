/** What Node offers for bytes; the standard functions below serve the other run-times. */
interface NodeGlobals {
  readonly Buffer?: {
    from(bytes: ArrayBufferLike, offset: number, length: number): { toString(encoding: Base64): string };
    from(text: string, encoding: Base64 | "latin1" | "utf8"): Uint8Array<ArrayBuffer>;
    concat(parts: readonly Uint8Array[]): Uint8Array<ArrayBuffer>;
  };
}

type Base64 = "base64" | "base64url";

const { Buffer: NodeBuffer } = globalThis as NodeGlobals;
const encoder = /* @__PURE__ */ new TextEncoder();

/** Bytes as standard base64, by the fastest means that the run-time has. */
export function toBase64(bytes: Uint8Array): string {
  return nodeBase64(bytes, "base64") ?? binaryBase64(bytes);
}

/** Bytes as unpadded base64url, which needs no escaping anywhere. */
export function toBase64Url(bytes: Uint8Array): string {
  const url = nodeBase64(bytes, "base64url");
  return url ?? unpadded(binaryBase64(bytes)).replaceAll("+", "-").replaceAll("/", "_");
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

/** Bytes one after the other. */
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

/** The bytes of a text; where there is Buffer, from its pool, which spares small texts an allocation of their own. */
export function utf8Bytes(text: string): Uint8Array<ArrayBuffer> {
  return NodeBuffer ? NodeBuffer.from(text, "utf8") : (encoder.encode(text) as Uint8Array<ArrayBuffer>);
}

/** The bytes of a text that has no characters but those of ASCII. */
export function asciiBytes(text: string): Uint8Array {
  return NodeBuffer ? NodeBuffer.from(text, "latin1") : encoder.encode(text);
}

/** The bytes of standard base64, with or without padding; undefined for a text that no encoder would have made. */
export function decodeBase64(text: string): Uint8Array<ArrayBuffer> | undefined {
  const bytes = NodeBuffer ? NodeBuffer.from(text, "base64") : decodeBinary(text);
  // Characters that are none of base64's, or left-over bits that are not zero, would let several texts mean the same.
  return bytes !== undefined && unpadded(toBase64(bytes)) === unpadded(text) ? bytes : undefined;
}

/** The bytes of unpadded base64url; undefined for a text that `toBase64Url` would not have made. */
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

function unpadded(text: string): string {
  return text.replace(/={1,2}$/, "");
}
