import fc from "fast-check";
import type { ContentBlock } from "proffer";
import { beforeEach, describe, expect, it, vi } from "vitest";
import { cutResult } from "../../src/features/max-result/cut.ts";
import { ByteQuota } from "../../src/features/max-result/parts.ts";
import { fits, lineEnd, type Part } from "../../src/features/max-result/split.ts";
import { compileJsonSchema } from "../../src/schema/json-schema/compile.ts";

const ANYONE = { isValid: undefined, hidesText: false };
const limits = fc.integer({ min: 1000, max: 3000 });
/** Words, line ends, and characters of one to four bytes. */
const words = fc.array(fc.constantFrom("a", "lorem ipsum ", "\n", "\r\n", "é", "語", "🐦", "\u0000", '"', "\n\n"), {
  maxLength: 1200,
  size: "max",
});
const texts = words.map((all) => all.join(""));

function textsIn(blocks: readonly ContentBlock[]): string[] {
  return blocks.map((block) => (block.type === "text" ? block.text : ""));
}

/** Counts the parts of a result by one noun, which must follow each other without gaps. */
function expectCounts(first: Part["count"] | undefined, parts: readonly Part[]): void {
  let done = first?.to ?? 0;
  for (const { count } of parts) {
    expect(count).toMatchObject({ from: done + 1, total: first?.total, noun: first?.noun });
    done = count.to;
  }
  expect(done).toBe(first?.total);
}

describe("a text in parts", () => {
  it("is searched for line ends only in the part, so that a long line takes linear time", () => {
    const read: number[] = [];
    const search = vi.spyOn(String.prototype, "lastIndexOf").mockImplementation(function (this: string) {
      read.push(this.length);
      return -1;
    });
    const line = "a".repeat(100_000);
    lineEnd(line, 90_000, 1000);
    search.mockRestore();
    expect(read).toEqual([1000]);
  });

  it("is the same text, and no part exceeds the limit", () => {
    fc.assert(
      fc.property(fc.array(texts, { minLength: 1, maxLength: 3 }), limits, (all, max) => {
        const result = { content: all.map((text) => ({ type: "text" as const, text })) };
        fc.pre(!fits(result, max));
        const cut = cutResult(result, max, ANYONE) ?? expect.unreachable("every text can be cut");
        const rest = cut.remaining();
        expect(textsIn([...cut.result.content, ...rest.flatMap(({ content }) => content)]).join("")).toBe(all.join(""));
        for (const content of [cut.result.content, ...rest.map((part) => part.content)]) {
          expect(Buffer.byteLength(textsIn(content).join(""))).toBeLessThanOrEqual(max - 400);
          expect(() => encodeURIComponent(textsIn(content).join(""))).not.toThrow();
        }
        expectCounts(cut.counts[0], rest);
      }),
      { numRuns: 300 },
    );
  });
});

describe("a text in a value", () => {
  it("is the same text, and the value stays within the limit", () => {
    fc.assert(
      fc.property(
        texts,
        fc.constantFrom(0, 2, "text" as const),
        limits,
        fc.boolean(),
        (text, form, max, isStructured) => {
          const value = form === "text" ? text : { to: "Ada", text };
          const written = form === "text" ? text : JSON.stringify(value, undefined, form);
          const content = [{ type: "text" as const, text: written }];
          const result = isStructured ? { content, structuredContent: value } : { content };
          fc.pre(!fits(result, max) && !(form === "text" && !isStructured));
          const cut = cutResult(result, max, ANYONE) ?? expect.unreachable("every text can be cut");
          const [mirror = ""] = textsIn(cut.result.content);
          const isCutAsText = form === 2 && isStructured && cut.result.structuredContent === value;
          const later = cut.remaining();
          const rest = later.flatMap((part) => textsIn(part.content)).join("");
          if (isCutAsText) return void expect(mirror + rest).toBe(written);
          const shown = form === "text" ? mirror : JSON.parse(mirror).text;
          expect(shown + rest).toBe(text);
          if (isStructured)
            expect(cut.result.structuredContent).toEqual(form === "text" ? shown : { to: "Ada", text: shown });
          const sizes = [mirror, JSON.stringify(cut.result.structuredContent) ?? ""].map((part) =>
            Buffer.byteLength(part),
          );
          expect(Math.max(...sizes)).toBeLessThanOrEqual(max - 400);
          for (const { content } of later)
            expect(Buffer.byteLength(textsIn(content)[0] ?? "")).toBeLessThanOrEqual(max - 400);
        },
      ),
      { numRuns: 300 },
    );
  });
});

describe("an array in parts", () => {
  const items = fc.array(fc.jsonValue({ maxDepth: 2 }), { maxLength: 300, size: "max" });

  it("is the same array, at the root and in objects, as text and as structured content", () => {
    const path = fc.constantFrom([], ["items"], ["result"], ["a", "__proto__"]);
    const indent = fc.constantFrom(0, 2);
    fc.assert(
      fc.property(items, path, indent, limits, fc.boolean(), (all, keys, spaces, max, isStructured) => {
        const around = (list: unknown) =>
          keys.reduceRight<unknown>(
            (value, key) =>
              Object.fromEntries([
                ["total", 7],
                [key, value],
              ]),
            list,
          );
        const value = JSON.parse(JSON.stringify(around(all)));
        const content = [{ type: "text" as const, text: JSON.stringify(value, undefined, spaces) }];
        const result = isStructured ? { content, structuredContent: value } : { content };
        const cut = fits(result, max) ? undefined : cutResult(result, max, ANYONE);
        // An indented text may be too large beside a value that is not: then only the text is cut.
        if (cut === undefined || cut.counts[0]?.noun !== "items") return;
        const [text = ""] = textsIn(cut.result.content);
        const shown = keys.reduce((part, key) => part[key], JSON.parse(text));
        expect(JSON.stringify(JSON.parse(text), undefined, spaces)).toBe(text);
        if (isStructured) expect(cut.result.structuredContent).toEqual(JSON.parse(text));
        const rest = cut.remaining();
        const isSplit = rest.every(({ count }) => count.noun === "items");
        const later = rest.map((part) => textsIn(part.content).join(""));
        const others = isSplit ? later.flatMap((part) => JSON.parse(part)) : JSON.parse(later.join(""));
        expect([...shown, ...others]).toEqual(all.length === 0 ? [] : JSON.parse(JSON.stringify(all)));
        for (const part of [text, ...later]) expect(Buffer.byteLength(part)).toBeLessThanOrEqual(max - 400);
        if (isSplit) expectCounts(cut.counts[0], rest);
      }),
      { numRuns: 300 },
    );
  });

  it("matches its output schema, or stays whole", () => {
    const numbers = fc.array(fc.integer(), { minLength: 200, maxLength: 600, size: "max" });
    const schemas = fc.record({ minItems: fc.nat(600), maxItems: fc.constant(600), uniqueItems: fc.constant(false) });
    fc.assert(
      fc.property(numbers, schemas, limits, (all, bounds, max) => {
        const { check } = compileJsonSchema({ type: "array", items: { type: "integer" }, ...bounds });
        const result = { content: [{ type: "text" as const, text: JSON.stringify(all) }], structuredContent: all };
        fc.pre(check(all) && !fits(result, max));
        const cut = cutResult(result, max, { isValid: check, hidesText: false }) ?? expect.unreachable("not cut");
        const { structuredContent } = cut.result;
        expect(check(structuredContent)).toBe(true);
        const isWhole = (structuredContent as number[]).length === all.length;
        expect(cut.isWhole).toBe(isWhole);
        const texts = [...cut.result.content, ...cut.remaining().flatMap(({ content }) => content)];
        const parts = textsIn(texts);
        expect(isWhole ? JSON.parse(parts.join("")) : parts.flatMap((part) => JSON.parse(part))).toEqual(all);
      }),
      { numRuns: 200 },
    );
  });

  it("leaves all elements for later if the client hides the sentence", () => {
    const birds = Array.from({ length: 300 }, (_, id) => ({ id }));
    const content = [{ type: "text" as const, text: "Many birds." }];
    const cut = cutResult({ content, structuredContent: birds }, 1000, { isValid: undefined, hidesText: true });
    expect(cut?.result).toEqual({ content });
    expect(cut?.remaining().flatMap((part) => JSON.parse(textsIn(part.content)[0] as string))).toEqual(birds);
  });
});

describe("a result that cannot be cut", () => {
  const value = Object.fromEntries(Array.from({ length: 300 }, (_, at) => [`key ${at}`, at]));
  const mirror = [{ type: "text" as const, text: JSON.stringify(value) }];

  it("loses structured content that its text repeats, unless a schema promises it", () => {
    const result = { content: mirror, structuredContent: value };
    expect(cutResult(result, 1000, ANYONE)?.result).not.toHaveProperty("structuredContent");
    const checked = cutResult(result, 1000, { isValid: () => true, hidesText: false });
    expect(checked).toMatchObject({ isWhole: true, result: { structuredContent: value } });
  });

  it("stays as it is if its text says something else", () => {
    const content = [{ type: "text" as const, text: "Done." }];
    expect(cutResult({ content, structuredContent: value }, 1000, ANYONE)).toBeUndefined();
  });
});

describe("ByteQuota", () => {
  const forgotten: string[] = [];
  const take = (quota: ByteQuota, caller: string, bytes: number, milliseconds = 60_000) =>
    quota.take(caller, bytes, milliseconds, () => forgotten.push(`${caller} ${bytes}`));

  beforeEach(() => {
    forgotten.length = 0;
  });

  it("has room for 64 MiB, and for 8 MiB of a caller", () => {
    const quota = new ByteQuota();
    const mebibyte = 1024 * 1024;
    expect(take(quota, "a", 8 * mebibyte + 1)).toBeUndefined();
    for (let caller = 0; caller < 8; caller++) expect(take(quota, `${caller}`, 8 * mebibyte)).toBeDefined();
    expect(forgotten).toEqual([]);
    expect(take(quota, "another", 1)).toBeDefined();
    expect(forgotten).toEqual([`0 ${8 * mebibyte}`]);
  });

  it("limits each caller, until the time is up", () => {
    const quota = new ByteQuota(100, 40);
    const first = take(quota, "a", 30);
    expect(first).toBeDefined();
    expect(take(quota, "a", 11)).toBeUndefined();
    expect(take(quota, "a", 10)).toBeDefined();
    if (first !== undefined) quota.drop(first);
    expect(take(quota, "a", 30)).toBeDefined();
    const short = new ByteQuota(100, 40);
    for (let time = 0; time < 4; time++) expect(take(short, "a", 40, 0)).toBeDefined();
    expect(new ByteQuota(100, 200).take("b", 101, 0, () => {})).toBeUndefined();
    expect(forgotten).toEqual([]);
  });

  it("forgets the oldest of the caller with the most, so that one below its share always has room", () => {
    const quota = new ByteQuota(100, 40);
    for (const bytes of [5, 15, 20]) take(quota, "large", bytes);
    take(quota, "small", 20);
    take(quota, "middle", 30);
    expect(take(quota, "new", 15)).toBeDefined();
    expect(forgotten).toEqual(["large 5"]);
    expect(take(quota, "new", 20)).toBeDefined();
    expect(forgotten).toEqual(["large 5", "large 15", "middle 30"]);
    expect(take(quota, "newest", 40)).toBeDefined();
    expect(forgotten.slice(3)).toEqual(["new 15"]);
  });
});
