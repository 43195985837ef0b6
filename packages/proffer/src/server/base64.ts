/** What Node offers for base64; the standard functions below serve the other run-times. */
interface NodeGlobals {
  readonly Buffer?: {
    from(bytes: ArrayBufferLike, offset: number, length: number): { toString(encoding: "base64"): string };
    from(text: string, encoding: "base64" | "latin1"): Uint8Array<ArrayBuffer>;
  };
}

const { Buffer: NodeBuffer } = globalThis as NodeGlobals;

/** Bytes as standard base64, by the fastest means that the run-time has. */
export function toBase64(bytes: Uint8Array): string {
  if (NodeBuffer) return NodeBuffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("base64");
  let binary = "";
  for (let at = 0; at < bytes.length; at += 0x8000) {
    binary += String.fromCharCode(...bytes.subarray(at, at + 0x8000));
  }
  return btoa(binary);
}

/** The bytes of a text that has no characters but those of ASCII. */
export function asciiBytes(text: string): Uint8Array {
  return NodeBuffer ? NodeBuffer.from(text, "latin1") : new TextEncoder().encode(text);
}

/** The bytes of standard base64, with or without padding; undefined for a text that no encoder would have made. */
export function decodeBase64(text: string): Uint8Array<ArrayBuffer> | undefined {
  const bytes = NodeBuffer ? NodeBuffer.from(text, "base64") : decodeBinary(text);
  // Characters that are none of base64's, or left-over bits that are not zero, would let several texts mean the same.
  return bytes !== undefined && unpadded(toBase64(bytes)) === unpadded(text) ? bytes : undefined;
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
