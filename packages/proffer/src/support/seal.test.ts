import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createSealer, parseKeys, randomKey, type Sealer } from "./seal.ts";
import { readToken } from "./sealed-token.ts";

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

describe("keys", () => {
  it("are parsed from base64, separated by commas", () => {
    const other = randomKey();
    const text = [key, other].map((bytes) => Buffer.from(bytes).toString("base64")).join(" , ");
    expect(parseKeys(text).map((bytes) => [...bytes])).toEqual([[...key], [...other]]);
  });

  it.each(["", "AAAA", "not base64!", `${Buffer.alloc(32).toString("base64")},`])("are rejected: %j", (text) => {
    expect(() => parseKeys(text)).toThrow(expect.objectContaining({ code: "bad_option" }));
  });
});
