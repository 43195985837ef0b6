import { builtinModule } from "../../support/builtin-module.ts";
import { utf8Bytes } from "../../support/bytes.ts";

/** Computes the SHA-256 digest of a text, in hexadecimal; without a promise on Node. */
export type Digest = (text: string) => string | Promise<string>;

/** The functions of node:crypto that are used here. */
interface NodeCrypto {
  createHash(algorithm: "sha256"): NodeHash;
}

interface NodeHash {
  update(text: string): NodeHash;
  digest(encoding: "hex"): string;
}

export function createDigest(): Digest {
  const crypto = builtinModule("node:crypto") as NodeCrypto | undefined;
  return crypto === undefined ? webDigest : (text) => crypto.createHash("sha256").update(text).digest("hex");
}

async function webDigest(text: string): Promise<string> {
  const bytes = new Uint8Array(await globalThis.crypto.subtle.digest("SHA-256", utf8Bytes(text)));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
}
