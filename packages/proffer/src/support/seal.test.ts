import fc from "fast-check";
import { describe, expect, it, vi } from "vitest";
import { createSealer, randomKey, readToken, type Sealer, TAG_BYTES } from "./seal.ts";

const key = new Uint8Array(32).fill(7);

/** Creates one sealer with node:crypto, and one with Web Crypto, which is the fallback. */
function sealers(...keys: Uint8Array[]): Record<string, Sealer> {
  const node = createSealer(keys);
  const { getBuiltinModule } = process;
  process.getBuiltinModule = (() => undefined) as never;
  const web = createSealer(keys);
  process.getBuiltinModule = getBuiltinModule;
  return { node, web };
}

describe.each(Object.entries(sealers(key)))("a token sealed with %s crypto", (_name, sealer) => {
  it("opens to the sealed payload, for any payload", async () => {
    await fc.assert(
      fc.asyncProperty(fc.string({ unit: "binary" }), fc.string(), async (payload, bound) => {
        const token = await sealer.seal("cursor", payload, bound);
        expect(token).toMatch(/^[A-Za-z0-9_-]+$/);
        expect(await sealer.open("cursor", token, bound)).toBe(payload);
      }),
      { numRuns: 50 },
    );
  });

  it("can be opened with either implementation", async () => {
    const token = await sealer.seal("state", "payload", "bound");
    for (const other of Object.values(sealers(randomKey(), key))) {
      expect(await other.open("state", token, "bound")).toBe("payload");
    }
  });

  it("never reuses an initialization vector, even when many are sealed at once", async () => {
    const tokens = await Promise.all(Array.from({ length: 1_000 }, () => sealer.seal("cursor", "a", "b")));
    const vectors = tokens.map((token) => Buffer.from(readToken(token)?.iv ?? []).toString("hex"));
    expect(vectors[0]).toHaveLength(24);
    expect(new Set(vectors).size).toBe(tokens.length);
  });

  it("does not open for another purpose, binding or key", async () => {
    const token = await sealer.seal("cursor", "payload", "bound");
    expect(await sealer.open("state", token, "bound")).toBeUndefined();
    expect(await sealer.open("cursor", token, "other")).toBeUndefined();
    for (const other of Object.values(sealers(randomKey()))) {
      expect(await other.open("cursor", token, "bound")).toBeUndefined();
    }
  });

  it("does not open if any bit was changed or any part is missing", async () => {
    const token = await sealer.seal("cursor", "12", "bound");
    const bytes = Buffer.from(token, "base64url");
    for (let bit = 0; bit < bytes.length * 8; bit++) {
      const changed = Buffer.from(bytes);
      changed[bit >> 3] = (changed[bit >> 3] ?? 0) ^ (1 << (bit & 7));
      expect(await sealer.open("cursor", changed.toString("base64url"), "bound")).toBeUndefined();
    }
    for (let length = 0; length < token.length; length++) {
      expect(await sealer.open("cursor", token.slice(0, length), "bound")).toBeUndefined();
    }
  });

  it.each(["", "!", "AAAA", "=", "a".repeat(10_000), "\u0000", "é"])(
    "does not open the malformed token %j",
    async (token) => {
      expect(await sealer.open("cursor", token, "bound")).toBeUndefined();
    },
  );
});

describe("the authentication tag", () => {
  it.each(Object.entries(sealers(key)))("of %s crypto is refused with fewer than 16 bytes", async (_, sealer) => {
    const token = Buffer.from(await sealer.seal("state", "a payload of some length", "bound"), "base64url");
    for (let cut = 1; cut <= TAG_BYTES; cut++) {
      const truncated = token.subarray(0, token.length - cut);
      expect(await sealer.open("state", truncated.toString("base64url"), "bound")).toBeUndefined();
      const padded = Buffer.concat([truncated, Buffer.alloc(cut)]);
      // A tag may end with zero bytes by chance.
      if (padded.equals(token)) continue;
      expect(await sealer.open("state", padded.toString("base64url"), "bound")).toBeUndefined();
    }
  });

  // GCM itself compares the tag, in constant time, if it knows the length. With another length, node:crypto would accept
  // tags of four bytes, which can be guessed.
  it("has a pinned length of 16 bytes in both implementations", async () => {
    const lengths: unknown[] = [];
    const { getBuiltinModule } = process;
    const crypto = getBuiltinModule("node:crypto");
    type Options = { authTagLength: number };
    process.getBuiltinModule = (() => ({
      hkdfSync: crypto.hkdfSync,
      createCipheriv: (...args: [never, never, never, Options]) => {
        lengths.push(args[3].authTagLength);
        return crypto.createCipheriv(...args);
      },
      createDecipheriv: (...args: [never, never, never, Options]) => {
        lengths.push(args[3].authTagLength);
        return crypto.createDecipheriv(...args);
      },
    })) as never;
    const node = createSealer([key]);
    process.getBuiltinModule = getBuiltinModule;
    expect(await node.open("state", await node.seal("state", "a", "b"), "b")).toBe("a");
    expect(lengths).toEqual([16, 16]);

    const { web } = sealers(key);
    const { subtle } = globalThis.crypto;
    const encrypt = vi.spyOn(subtle, "encrypt");
    const decrypt = vi.spyOn(subtle, "decrypt");
    expect(await web?.open("state", await web.seal("state", "a", "b"), "b")).toBe("a");
    expect(encrypt.mock.calls[0]?.[0]).toMatchObject({ name: "AES-GCM", tagLength: 128 });
    expect(decrypt.mock.calls[0]?.[0]).toMatchObject({ name: "AES-GCM", tagLength: 128 });
    vi.restoreAllMocks();
  });
});
