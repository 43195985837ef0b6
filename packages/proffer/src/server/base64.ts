/** What some run-times offer for base64; the loop below serves the others. */
interface Encoders {
  readonly Buffer?: {
    from(bytes: ArrayBufferLike, offset: number, length: number): { toString(encoding: "base64"): string };
  };
}

/** Bytes as standard base64, by the fastest means that the run-time has. */
export function toBase64(bytes: Uint8Array): string {
  const { Buffer } = globalThis as Encoders;
  if (Buffer) return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("base64");
  let binary = "";
  for (let at = 0; at < bytes.length; at += 0x8000) {
    binary += String.fromCharCode(...bytes.subarray(at, at + 0x8000));
  }
  return btoa(binary);
}

/** The bytes of standard base64, with or without padding; undefined for a text that no encoder would have made. */
export function decodeBase64(text: string): Uint8Array<ArrayBuffer> | undefined {
  try {
    const bytes = Uint8Array.from(atob(text), (char) => char.charCodeAt(0));
    // Bits that padding leaves over must be zero, or several texts would stand for one value.
    return toBase64(bytes).replaceAll("=", "") === text.replaceAll("=", "") ? bytes : undefined;
  } catch {
    return undefined;
  }
}
