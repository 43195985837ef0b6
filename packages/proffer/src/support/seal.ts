import { concat, decodeBase64Url, toBase64Url, utf8Bytes } from "./bytes.ts";
import { Memo, memoized } from "./memo.ts";
import { builtinModule } from "./run-time.ts";
import { UsageError } from "./usage-error.ts";

/**
 * Seals state that a client holds for the server, such as cursors: the client can neither read nor change it, nor use
 * it in another place. AES-256-GCM with a key derived per purpose; `bound` is authenticated as additional data.
 */
export interface Sealer {
  seal(purpose: Purpose, payload: string, bound: string): string | Promise<string>;
  /**
   * Returns the payload, or undefined if the token was forged or damaged, or was sealed for another purpose, with
   * another `bound` text or with an unknown key.
   */
  open(purpose: Purpose, token: string, bound: string): string | undefined | Promise<string | undefined>;
}

type Purpose = "cursor" | "result" | "session" | "state" | "task";

/** The parts of a server that decide with which keys it seals. */
export interface SealingServer {
  readonly info: { readonly name: string };
  /** The server whose keys it uses; a server that stands for others uses theirs. */
  readonly keyOwner: SealingServer;
  readonly keys: readonly Uint8Array[] | undefined;
  /** Is called when a random key takes the place of missing ones: it is lost with the process. */
  readonly onRandomKey: (() => void) | undefined;
}

/** Not a property of the server, because most servers never seal anything: a start need not load this. */
const sealerFor = /* @__PURE__ */ memoized((keyOwner: SealingServer) => {
  if (keyOwner.keys === undefined) keyOwner.onRandomKey?.();
  return createSealer(keyOwner.keys ?? [randomKey()]);
});

/** Returns the sealer with the keys of a server, or with a random key if it has none. */
export function sealerOf({ keyOwner }: SealingServer): Sealer {
  return sealerFor(keyOwner);
}

/** The key length of AES-256. */
const KEY_BYTES = 32;

const KEY_ID_BYTES = 4;

const IV_BYTES = 12;

export const TAG_BYTES = 16;

const VERSION = 1;

const HEAD_BYTES = 1 + KEY_ID_BYTES + IV_BYTES;

/** Creates a sealer: the first key seals, and every key opens. */
export function createSealer(keys: readonly Uint8Array[]): Sealer {
  const crypto = builtinModule("node:crypto") as NodeCrypto | undefined;
  return crypto === undefined ? createWebSealer(keys) : createNodeSealer(crypto, keys);
}

export function randomKey(): Uint8Array {
  return globalThis.crypto.getRandomValues(new Uint8Array(KEY_BYTES));
}

interface DerivedKey<Key> {
  /** Identifies the key in a token without revealing it. */
  readonly keyId: Uint8Array;
  readonly key: Key;
}

function createNodeSealer(crypto: NodeCrypto, keys: readonly Uint8Array[]): Sealer {
  const derived = new Memo((purpose) => keys.map((secret) => deriveNodeKey(crypto, secret, purpose)));
  const options = { authTagLength: TAG_BYTES };
  return {
    seal(purpose, payload, bound) {
      const current = firstKey(derived.get(purpose));
      const iv = nextIv();
      const cipher = crypto.createCipheriv("aes-256-gcm", current.key, iv, options);
      cipher.setAAD(utf8Bytes(bound));
      const sealed = cipher.update(utf8Bytes(payload));
      // GCM has no final block: `final()` returns no bytes, but computes the tag.
      cipher.final();
      return writeToken(current.keyId, iv, sealed, cipher.getAuthTag());
    },
    open(purpose, token, bound) {
      const parts = readToken(token);
      const known = parts && derived.get(purpose).find(({ keyId }) => equal(keyId, parts.keyId));
      if (!parts || !known) return undefined;
      const decipher = crypto.createDecipheriv("aes-256-gcm", known.key, parts.iv, options);
      decipher.setAAD(utf8Bytes(bound));
      decipher.setAuthTag(parts.body.subarray(parts.body.length - TAG_BYTES));
      try {
        const opened = decipher.update(parts.body.subarray(0, parts.body.length - TAG_BYTES));
        decipher.final();
        return opened.toString("utf8");
      } catch {
        return undefined;
      }
    },
  };
}

function deriveNodeKey({ hkdfSync }: NodeCrypto, secret: Uint8Array, purpose: string): DerivedKey<Uint8Array> {
  const bits = new Uint8Array(hkdfSync("sha256", secret, new Uint8Array(), info(purpose), KEY_BYTES + KEY_ID_BYTES));
  return { key: bits.subarray(0, KEY_BYTES), keyId: bits.subarray(KEY_BYTES) };
}

/** Web Crypto's `CryptoKey`, which is a global type in some runtimes only. */
type WebKey = Awaited<ReturnType<typeof globalThis.crypto.subtle.importKey>>;

function createWebSealer(keys: readonly Uint8Array[]): Sealer {
  const derived = new Memo((purpose) => Promise.all(keys.map((secret) => deriveWebKey(secret, purpose))));
  const { subtle } = globalThis.crypto;
  return {
    async seal(purpose, payload, bound) {
      const current = firstKey(await derived.get(purpose));
      const iv = nextIv();
      const body = await subtle.encrypt(webAlgorithm(iv, bound), current.key, utf8Bytes(payload));
      return writeToken(current.keyId, iv, new Uint8Array(body));
    },
    async open(purpose, token, bound) {
      const parts = readToken(token);
      const known = parts && (await derived.get(purpose)).find(({ keyId }) => equal(keyId, parts.keyId));
      if (!parts || !known) return undefined;
      try {
        const opened = await subtle.decrypt(webAlgorithm(parts.iv, bound), known.key, parts.body);
        return new TextDecoder("utf-8", { ignoreBOM: true }).decode(opened);
      } catch {
        return undefined;
      }
    },
  };
}

function webAlgorithm(iv: Uint8Array<ArrayBuffer>, bound: string) {
  return { name: "AES-GCM", iv, additionalData: utf8Bytes(bound), tagLength: TAG_BYTES * 8 };
}

async function deriveWebKey(secret: Uint8Array, purpose: string): Promise<DerivedKey<WebKey>> {
  const { subtle } = globalThis.crypto;
  const base = await subtle.importKey("raw", new Uint8Array(secret), "HKDF", false, ["deriveBits"]);
  const algorithm = { name: "HKDF", hash: "SHA-256", salt: new Uint8Array(), info: info(purpose) };
  const bits = new Uint8Array(await subtle.deriveBits(algorithm, base, (KEY_BYTES + KEY_ID_BYTES) * 8));
  const key = await subtle.importKey("raw", bits.slice(0, KEY_BYTES), "AES-GCM", false, ["encrypt", "decrypt"]);
  return { key, keyId: bits.slice(KEY_BYTES) };
}

/** Returns the key that seals. */
function firstKey<Key>([first]: readonly DerivedKey<Key>[]): DerivedKey<Key> {
  if (first === undefined) throw new UsageError("No key to seal with. Pass at least one key.");
  return first;
}

function info(purpose: string): Uint8Array<ArrayBuffer> {
  return utf8Bytes(`proffer/1/${purpose}`);
}

/** Random bytes for 64 initialization vectors, to save a `getRandomValues` call per token. */
let ivPool = /* @__PURE__ */ new Uint8Array();

let ivPoolUsed = 0;

/** Returns an initialization vector that was never used before. */
function nextIv(): Uint8Array<ArrayBuffer> {
  if (ivPoolUsed === ivPool.length) {
    ivPool = globalThis.crypto.getRandomValues(new Uint8Array(64 * IV_BYTES));
    ivPoolUsed = 0;
  }
  ivPoolUsed += IV_BYTES;
  return ivPool.subarray(ivPoolUsed - IV_BYTES, ivPoolUsed);
}

/** The parts of a sealed token: the id of its key, the initialization vector, and the ciphertext with its tag. */
interface TokenParts {
  readonly keyId: Uint8Array;
  readonly iv: Uint8Array<ArrayBuffer>;
  readonly body: Uint8Array<ArrayBuffer>;
}

function writeToken(keyId: Uint8Array, iv: Uint8Array, ...body: readonly Uint8Array[]): string {
  return toBase64Url(concat([Uint8Array.of(VERSION), keyId, iv, ...body]));
}

/** Splits a token into its parts; returns undefined for a malformed token. */
export function readToken(token: string): TokenParts | undefined {
  const bytes = decodeBase64Url(token);
  if (bytes === undefined || bytes[0] !== VERSION || bytes.length < HEAD_BYTES + TAG_BYTES) return undefined;
  return {
    keyId: bytes.subarray(1, 1 + KEY_ID_BYTES),
    iv: bytes.subarray(1 + KEY_ID_BYTES, HEAD_BYTES),
    body: bytes.subarray(HEAD_BYTES),
  };
}

/** Compares key ids. They are public, so the comparison need not take constant time. */
function equal(left: Uint8Array, right: Uint8Array): boolean {
  return left.length === right.length && left.every((byte, at) => byte === right[at]);
}

/** The synchronous functions of node:crypto that sealing needs; runtimes without them use Web Crypto. */
interface NodeCrypto {
  readonly createCipheriv: CreateCipher;
  readonly createDecipheriv: CreateCipher;
  hkdfSync(digest: string, key: Uint8Array, salt: Uint8Array, info: Uint8Array, length: number): ArrayBuffer;
}

type CreateCipher = (name: string, key: Uint8Array, iv: Uint8Array, options: { authTagLength: number }) => NodeCipher;

/** A cipher has `getAuthTag`, a decipher `setAuthTag`. */
interface NodeCipher {
  setAAD(data: Uint8Array): void;
  setAuthTag(tag: Uint8Array): void;
  getAuthTag(): Uint8Array;
  update(data: Uint8Array): Uint8Array & { toString(encoding: "utf8"): string };
  final(): Uint8Array;
}
