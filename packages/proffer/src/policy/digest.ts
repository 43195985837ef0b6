import { utf8Bytes } from "../support/bytes.ts";

interface NodeHash {
  createHash(name: string): { update(text: string): { digest(encoding: "hex"): string } };
}

/** Returns the SHA-256 of a text in hexadecimal: at once in Node, else by Web Crypto. */
export function sha256(text: string): string | Promise<string> {
  const { process } = globalThis as { process?: { getBuiltinModule?: (name: string) => unknown } };
  const node = process?.getBuiltinModule?.("node:crypto") as NodeHash | undefined;
  if (node !== undefined) return node.createHash("sha256").update(text).digest("hex");
  return globalThis.crypto.subtle.digest("SHA-256", utf8Bytes(text)).then(toHex);
}

function toHex(bytes: ArrayBuffer): string {
  return Array.from(new Uint8Array(bytes), (byte) => byte.toString(16).padStart(2, "0")).join("");
}
