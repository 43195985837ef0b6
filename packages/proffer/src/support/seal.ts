import { decodeBase64, utf8Bytes } from "./bytes.ts";
import { IV_BYTES, MARK_BYTES, readToken, TAG_BYTES, writeToken } from "./sealed-token.ts";
import { UsageError } from "./usage-error.ts";

/**
 * Seals what leaves the server only to come back: nobody else can read it, change it, or use it elsewhere.
 * AES-256-GCM under a key derived for each purpose; what a token is bound to is authenticated with it.
 */
export interface Sealer {
  seal(purpose: Purpose, payload: string, bound: string): string | Promise<string>;
  /** The payload, or undefined for a token that is forged, damaged, of another purpose, binding or unknown key. */
  open(purpose: Purpose, token: string, bound: string): string | undefined | Promise<string | undefined>;
}

export type Purpose = "cursor" | "state";

const KEY_BYTES = 32;

/** Makes a sealer: the first key seals, all of them open. */
export function createSealer(keys: readonly Uint8Array[]): Sealer {
  const crypto = nodeCrypto();
  return crypto === undefined ? new WebSealer(keys) : new NodeSealer(crypto, keys);
}

/** Reads keys as the environment has them: base64, separated by commas. */
export function parseKeys(text: string): Uint8Array[] {
  return text.split(",").map((part) => {
    const binary = decodeBase64(part.trim());
    if (binary === undefined)
      throw new UsageError("bad_option", "PROFFER_KEYS must be base64 keys of 32 bytes, separated by commas.");
    return checkKey(binary);
  });
}

export function randomKey(): Uint8Array {
  return globalThis.crypto.getRandomValues(new Uint8Array(KEY_BYTES));
}

/** The key, if it can be one. @throws {UsageError} otherwise. */
export function checkKey(key: Uint8Array): Uint8Array {
  if (key.length === KEY_BYTES) return key;
  throw new UsageError(
    "bad_option",
    `A key must have 32 bytes, not ${key.length}. Make one with: openssl rand -base64 32`,
  );
}

interface Derived<Key> {
  /** Tells which key sealed a token, without telling the key. */
  readonly mark: Uint8Array;
  readonly key: Key;
}

class NodeSealer implements Sealer {
  readonly #crypto: NodeCrypto;
  readonly #derived = new Map<Purpose, readonly Derived<Uint8Array>[]>();
  readonly #keys: readonly Uint8Array[];

  constructor(crypto: NodeCrypto, keys: readonly Uint8Array[]) {
    this.#crypto = crypto;
    this.#keys = keys;
  }

  seal(purpose: Purpose, payload: string, bound: string): string {
    const [current] = this.#for(purpose);
    if (current === undefined) throw new UsageError("bad_option", "There is no key to seal with.");
    const iv = nextVector();
    const cipher = this.#crypto.createCipheriv("aes-256-gcm", current.key, iv, { authTagLength: TAG_BYTES });
    cipher.setAAD(utf8Bytes(bound));
    const sealed = cipher.update(utf8Bytes(payload));
    // This mode has no last block: nothing comes of it but the tag.
    cipher.final();
    return writeToken(current.mark, iv, sealed, cipher.getAuthTag());
  }

  open(purpose: Purpose, token: string, bound: string): string | undefined {
    const parts = readToken(token);
    const known = parts && this.#for(purpose).find((derived) => equal(derived.mark, parts.mark));
    if (!parts || !known) return undefined;
    const decipher = this.#crypto.createDecipheriv("aes-256-gcm", known.key, parts.iv, { authTagLength: TAG_BYTES });
    decipher.setAAD(utf8Bytes(bound));
    decipher.setAuthTag(parts.body.subarray(parts.body.length - TAG_BYTES));
    try {
      const opened = decipher.update(parts.body.subarray(0, parts.body.length - TAG_BYTES));
      decipher.final();
      return opened.toString("utf8");
    } catch {
      return undefined;
    }
  }

  #for(purpose: Purpose): readonly Derived<Uint8Array>[] {
    let derived = this.#derived.get(purpose);
    if (derived === undefined) {
      derived = this.#keys.map((secret) => {
        const bits = new Uint8Array(
          this.#crypto.hkdfSync("sha256", secret, new Uint8Array(), info(purpose), KEY_BYTES + MARK_BYTES),
        );
        return { key: bits.subarray(0, KEY_BYTES), mark: bits.subarray(KEY_BYTES) };
      });
      this.#derived.set(purpose, derived);
    }
    return derived;
  }
}

/** A key of Web Crypto; its name is a global type in some run-times only. */
type WebKey = Awaited<ReturnType<typeof globalThis.crypto.subtle.importKey>>;

class WebSealer implements Sealer {
  readonly #derived = new Map<Purpose, Promise<readonly Derived<WebKey>[]>>();
  readonly #keys: readonly Uint8Array[];

  constructor(keys: readonly Uint8Array[]) {
    this.#keys = keys;
  }

  async seal(purpose: Purpose, payload: string, bound: string): Promise<string> {
    const [current] = await this.#for(purpose);
    if (current === undefined) throw new UsageError("bad_option", "There is no key to seal with.");
    const iv = nextVector();
    const algorithm = { name: "AES-GCM", iv, additionalData: utf8Bytes(bound), tagLength: TAG_BYTES * 8 };
    const body = await globalThis.crypto.subtle.encrypt(algorithm, current.key, utf8Bytes(payload));
    return writeToken(current.mark, iv, new Uint8Array(body));
  }

  async open(purpose: Purpose, token: string, bound: string): Promise<string | undefined> {
    const parts = readToken(token);
    const known = parts && (await this.#for(purpose)).find((derived) => equal(derived.mark, parts.mark));
    if (!parts || !known) return undefined;
    const algorithm = { name: "AES-GCM", iv: parts.iv, additionalData: utf8Bytes(bound), tagLength: TAG_BYTES * 8 };
    try {
      return new TextDecoder("utf-8", { ignoreBOM: true }).decode(
        await globalThis.crypto.subtle.decrypt(algorithm, known.key, parts.body),
      );
    } catch {
      return undefined;
    }
  }

  #for(purpose: Purpose): Promise<readonly Derived<WebKey>[]> {
    let derived = this.#derived.get(purpose);
    if (derived === undefined) {
      derived = Promise.all(this.#keys.map((secret) => deriveWebKey(secret, purpose)));
      this.#derived.set(purpose, derived);
    }
    return derived;
  }
}

async function deriveWebKey(secret: Uint8Array, purpose: Purpose): Promise<Derived<WebKey>> {
  const { subtle } = globalThis.crypto;
  const base = await subtle.importKey("raw", new Uint8Array(secret), "HKDF", false, ["deriveBits"]);
  const algorithm = { name: "HKDF", hash: "SHA-256", salt: new Uint8Array(), info: info(purpose) };
  const bits = new Uint8Array(await subtle.deriveBits(algorithm, base, (KEY_BYTES + MARK_BYTES) * 8));
  const key = await subtle.importKey("raw", bits.slice(0, KEY_BYTES), "AES-GCM", false, ["encrypt", "decrypt"]);
  return { key, mark: bits.slice(KEY_BYTES) };
}

function info(purpose: Purpose): Uint8Array<ArrayBuffer> {
  return utf8Bytes(`proffer/1/${purpose}`);
}

/** Random bytes for some initial vectors: to ask for twelve takes as long as to seal with them. */
let vectors = /* @__PURE__ */ new Uint8Array();
let vectorsUsed = 0;

/** An initial vector that is given out once. */
function nextVector(): Uint8Array<ArrayBuffer> {
  if (vectorsUsed === vectors.length) {
    vectors = globalThis.crypto.getRandomValues(new Uint8Array(64 * IV_BYTES));
    vectorsUsed = 0;
  }
  vectorsUsed += IV_BYTES;
  return vectors.subarray(vectorsUsed - IV_BYTES, vectorsUsed);
}

/** A mark is public; comparing it takes no secret time. */
function equal(left: Uint8Array, right: Uint8Array): boolean {
  return left.length === right.length && left.every((byte, at) => byte === right[at]);
}

/** The synchronous part of node:crypto that sealing needs; run-times without it use Web Crypto. */
interface NodeCrypto {
  createCipheriv(algorithm: string, key: Uint8Array, iv: Uint8Array, options: { authTagLength: number }): NodeCipher;
  createDecipheriv(
    algorithm: string,
    key: Uint8Array,
    iv: Uint8Array,
    options: { authTagLength: number },
  ): NodeDecipher;
  hkdfSync(digest: string, key: Uint8Array, salt: Uint8Array, info: Uint8Array, length: number): ArrayBuffer;
}

interface NodeCipher {
  setAAD(data: Uint8Array): void;
  update(data: Uint8Array): Uint8Array;
  final(): Uint8Array;
  getAuthTag(): Uint8Array;
}

interface NodeDecipher {
  setAAD(data: Uint8Array): void;
  setAuthTag(tag: Uint8Array): void;
  update(data: Uint8Array): { toString(encoding: "utf8"): string };
  final(): Uint8Array;
}

function nodeCrypto(): NodeCrypto | undefined {
  const { process } = globalThis as { process?: { getBuiltinModule?: (name: string) => unknown } };
  return process?.getBuiltinModule?.("node:crypto") as NodeCrypto | undefined;
}
