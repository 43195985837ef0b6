import { Buffer } from "node:buffer";
import fc from "fast-check";
import { afterEach, describe, expect, it, vi } from "vitest";

/** Loads the functions as in a runtime with or without `Buffer`. */
async function load(way: string): Promise<typeof import("./bytes.ts")> {
  vi.resetModules();
  if (way === "without Buffer") vi.stubGlobal("Buffer", undefined);
  return import("./bytes.ts");
}

afterEach(() => {
  vi.unstubAllGlobals();
  // Other test files must not get the module that was loaded without Buffer.
  vi.resetModules();
});

describe.each(["with Buffer", "without Buffer"])("base64 %s", (way) => {
  it("equals the output of btoa and decodes to the same bytes", async () => {
    const { toBase64, decodeBase64 } = await load(way);
    const expected = (bytes: Uint8Array) => btoa(String.fromCharCode(...bytes));
    const decoded = (text: string) => [...(decodeBase64(text) ?? [])];
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 200 }), (bytes) => {
        const text = toBase64(bytes);
        expect(text).toBe(expected(bytes));
        expect(decoded(text)).toEqual([...bytes]);
        expect(decoded(text.replaceAll("=", ""))).toEqual([...bytes]);
      }),
    );
  });

  it("for URLs has no padding, and non-canonical text is rejected", async () => {
    const { toBase64Url, decodeBase64Url } = await load(way);
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 200 }), (bytes) => {
        const text = toBase64Url(bytes);
        expect(text).toBe(Buffer.from(bytes).toString("base64url"));
        expect([...(decodeBase64Url(text) ?? [])]).toEqual([...bytes]);
      }),
    );
    for (const text of ["A", "AA==", "AA+/", "AR", "A A", "é"]) expect(decodeBase64Url(text)).toBeUndefined();
  });

  it("encodes more bytes than a function call can have arguments", async () => {
    const { toBase64, decodeBase64 } = await load(way);
    const text = toBase64(new Uint8Array(300_000).fill(65));
    expect(text).toBe("QUFB".repeat(100_000));
    expect(decodeBase64(text)?.length).toBe(300_000);
  });

  it("of a subarray covers only that subarray", async () => {
    const { toBase64 } = await load(way);
    expect(toBase64(new Uint8Array([1, 2, 3, 4]).subarray(1, 3))).toBe("AgM=");
  });

  it.each(["A", "AB=C", "A===", "AB\u0000C", "é", "AA-_", "AR==", "AAF="])(
    "rejects %j, which no encoder produces",
    async (text) => {
      const { decodeBase64 } = await load(way);
      expect(decodeBase64(text)).toBeUndefined();
    },
  );
});
