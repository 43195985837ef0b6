import type { Json } from "../../protocol/json.ts";

/** JSON as text that may stand in an address. `JSON.stringify` escapes what UTF-8 cannot say, so every string survives. */
export function toBase64url(value: Json): string {
  const bytes = new TextEncoder().encode(JSON.stringify(value));
  let binary = "";
  for (const byte of bytes) binary += String.fromCharCode(byte);
  return btoa(binary).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
}

/** Undefined if the text is not what `toBase64url` writes. */
export function fromBase64url(text: string): Json | undefined {
  try {
    const binary = atob(text.replaceAll("-", "+").replaceAll("_", "/"));
    const bytes = Uint8Array.from(binary, (unit) => unit.charCodeAt(0));
    return JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(bytes)) as Json;
  } catch {
    return undefined;
  }
}
