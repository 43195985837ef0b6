import { concat, decodeBase64Url, toBase64Url, utf8Bytes } from "./bytes.ts";
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
  /** The server whose keys it uses; a server that stands for others uses theirs. */
  readonly keyOwner: SealingServer;
  readonly keys: readonly Uint8Array[] | undefined;
  /** Is called when a random key takes the place of missing ones: it is lost with the process. */
  readonly onRandomKey: (() => void) | undefined;
}

/** Not a property of the server, because most servers never seal anything: a start need not load this. */
const sealers = new WeakMap<SealingServer, Sealer>();

/** Returns the sealer with the keys of a server, or with a random key if it has none. */
export function sealerOf(server: SealingServer): Sealer {
  const { keyOwner } = server;
  let sealer = sealers.get(keyOwner);
  if (sealer === undefined) {
    if (keyOwner.keys === undefined) keyOwner.onRandomKey?.();
    sealer = createSealer(keyOwner.keys ?? [randomKey()]);
    sealers.set(keyOwner, sealer);
  }
  return sealer;
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
  return crypto === undefined ? new WebSealer(keys) : new NodeSealer(crypto, keys);
}

export function randomKey(): Uint8Array {
  return globalThis.crypto.getRandomValues(new Uint8Array(KEY_BYTES));
}

interface DerivedKey<Key> {
  /** Identifies the key in a token without revealing it. */
  readonly keyId: Uint8Array;
  readonly key: Key;
}

class NodeSealer implements Sealer {
  readonly #crypto: NodeCrypto;
  readonly #derived = new Map<Purpose, readonly DerivedKey<Uint8Array>[]>();
  readonly #keys: readonly Uint8Array[];

  constructor(crypto: NodeCrypto, keys: readonly Uint8Array[]) {
    this.#crypto = crypto;
    this.#keys = keys;
  }

  seal(purpose: Purpose, payload: string, bound: string): string {
    const [current] = this.#keysFor(purpose);
    if (current === undefined) throw new UsageError("bad_option", "No key to seal with. Pass at least one key.");
    const iv = nextIv();
    const cipher = this.#crypto.createCipheriv("aes-256-gcm", current.key, iv, { authTagLength: TAG_BYTES });
    cipher.setAAD(utf8Bytes(bound));
    const sealed = cipher.update(utf8Bytes(payload));
    // GCM has no final block: `final()` returns no bytes, but computes the tag.
    cipher.final();
    return writeToken(current.keyId, iv, sealed, cipher.getAuthTag());
  }

  open(purpose: Purpose, token: string, bound: string): string | undefined {
    const parts = readToken(token);
    const known = parts && this.#keysFor(purpose).find((derived) => equal(derived.keyId, parts.keyId));
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

  #keysFor(purpose: Purpose): readonly DerivedKey<Uint8Array>[] {
    let derived = this.#derived.get(purpose);
    if (derived === undefined) {
      derived = this.#keys.map((secret) => {
        const bits = new Uint8Array(
          this.#crypto.hkdfSync("sha256", secret, new Uint8Array(), info(purpose), KEY_BYTES + KEY_ID_BYTES),
        );
        return { key: bits.subarray(0, KEY_BYTES), keyId: bits.subarray(KEY_BYTES) };
      });
      this.#derived.set(purpose, derived);
    }
    return derived;
  }
}

/** Web Crypto's `CryptoKey`, which is a global type in some runtimes only. */
type WebKey = Awaited<ReturnType<typeof globalThis.crypto.subtle.importKey>>;

class WebSealer implements Sealer {
  readonly #derived = new Map<Purpose, Promise<readonly DerivedKey<WebKey>[]>>();
  readonly #keys: readonly Uint8Array[];

  constructor(keys: readonly Uint8Array[]) {
    this.#keys = keys;
  }

  async seal(purpose: Purpose, payload: string, bound: string): Promise<string> {
    const [current] = await this.#keysFor(purpose);
    if (current === undefined) throw new UsageError("bad_option", "No key to seal with. Pass at least one key.");
    const iv = nextIv();
    const algorithm = { name: "AES-GCM", iv, additionalData: utf8Bytes(bound), tagLength: TAG_BYTES * 8 };
    const body = await globalThis.crypto.subtle.encrypt(algorithm, current.key, utf8Bytes(payload));
    return writeToken(current.keyId, iv, new Uint8Array(body));
  }

  async open(purpose: Purpose, token: string, bound: string): Promise<string | undefined> {
    const parts = readToken(token);
    const known = parts && (await this.#keysFor(purpose)).find((derived) => equal(derived.keyId, parts.keyId));
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

  #keysFor(purpose: Purpose): Promise<readonly DerivedKey<WebKey>[]> {
    let derived = this.#derived.get(purpose);
    if (derived === undefined) {
      derived = Promise.all(this.#keys.map((secret) => deriveWebKey(secret, purpose)));
      this.#derived.set(purpose, derived);
    }
    return derived;
  }
}

async function deriveWebKey(secret: Uint8Array, purpose: Purpose): Promise<DerivedKey<WebKey>> {
  const { subtle } = globalThis.crypto;
  const base = await subtle.importKey("raw", new Uint8Array(secret), "HKDF", false, ["deriveBits"]);
  const algorithm = { name: "HKDF", hash: "SHA-256", salt: new Uint8Array(), info: info(purpose) };
  const bits = new Uint8Array(await subtle.deriveBits(algorithm, base, (KEY_BYTES + KEY_ID_BYTES) * 8));
  const key = await subtle.importKey("raw", bits.slice(0, KEY_BYTES), "AES-GCM", false, ["encrypt", "decrypt"]);
  return { key, keyId: bits.slice(KEY_BYTES) };
}

function info(purpose: Purpose): Uint8Array<ArrayBuffer> {
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
