import { describe, expect, it } from "vitest";
import { sliceItems, sliceLines } from "./slice.ts";

async function* count(taken: { last: number; closed?: boolean }) {
  try {
    for (let n = 0; ; n++) {
      taken.last = n;
      yield n;
    }
  } finally {
    taken.closed = true;
  }
}

describe("sliceItems", () => {
  it("reads at most one item beyond the last one returned, and closes the source", async () => {
    const taken: { last: number; closed?: boolean } = { last: -1 };
    expect(await sliceItems(count(taken), { offset: 3, limit: 2 })).toEqual({ items: [3, 4], offset: 3, more: true });
    expect(taken).toEqual({ last: 5, closed: true });
  });

  it("reports at the end that no more items follow", async () => {
    expect(await sliceItems(new Set([1, 2, 3]), { offset: 1, limit: 2 })).toEqual({
      items: [2, 3],
      offset: 1,
      more: false,
    });
    expect(await sliceItems([1, 2, 3], { offset: 0, limit: 2 })).toEqual({ items: [1, 2], offset: 0, more: true });
    expect(await sliceItems([1], { offset: 9, limit: 2 })).toEqual({ items: [], offset: 9, more: false });
    expect(await sliceItems([1], { limit: 0 })).toEqual({ items: [], offset: 0, more: true });
  });

  it("rejects an offset or a limit that is not a non-negative integer", async () => {
    await expect(sliceItems([1], { limit: -1 })).rejects.toMatchObject({ code: "bad_option" });
    await expect(sliceItems([1], { limit: 1, offset: Number.NaN })).rejects.toMatchObject({ code: "bad_option" });
  });
});

describe("sliceLines", () => {
  it("splits at LF and CRLF, wherever the chunks end", async () => {
    const bytes = new TextEncoder().encode("é\r\nb\n\nd");
    const chunks = Array.from(bytes, (byte) => Uint8Array.of(byte));
    expect((await sliceLines(chunks, { limit: 10 })).items).toEqual(["é", "b", "", "d"]);
    expect((await sliceLines("a\nb\n", { limit: 10 })).items).toEqual(["a", "b"]);
    expect(await sliceLines("a\nb\nc", { offset: 1, limit: 1 })).toEqual({ items: ["b"], offset: 1, more: true });
  });

  it("rejects a line that is too long, with or without a line end", async () => {
    const limits = { limit: 10, maxLineLength: 3 };
    expect((await sliceLines("abc\ndef", limits)).items).toEqual(["abc", "def"]);
    for (const source of ["a\nbcde\n", "a\nbcde", ["ab", "cd", "\n"]]) {
      await expect(sliceLines(source, limits)).rejects.toThrow(/A line has more than 3 characters/);
    }
  });
});
