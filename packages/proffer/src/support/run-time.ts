import { utf8Bytes } from "./bytes.ts";

/** Returns a module of Node without importing it; undefined in other run-times. */
export function builtinModule(name: string): unknown {
  const { process } = globalThis as { process?: { getBuiltinModule?: (name: string) => unknown } };
  return process?.getBuiltinModule?.(name);
}

interface NodeCrypto {
  createHash(name: string): { update(data: string | Uint8Array): { digest(encoding: "hex"): string } };
}

/** Returns the SHA-256 of a text or of bytes in hexadecimal: at once in Node, else by Web Crypto, which has only promises. */
export function sha256(data: string | Uint8Array): string | Promise<string> {
  const crypto = builtinModule("node:crypto") as NodeCrypto | undefined;
  if (crypto !== undefined) return crypto.createHash("sha256").update(data).digest("hex");
  const bytes = typeof data === "string" ? utf8Bytes(data) : (data as Uint8Array<ArrayBuffer>);
  return globalThis.crypto.subtle.digest("SHA-256", bytes).then(toHex);
}

function toHex(bytes: ArrayBuffer): string {
  return Array.from(new Uint8Array(bytes), (byte) => byte.toString(16).padStart(2, "0")).join("");
}
