import { type CallResult, defineServer, defineTool } from "proffer";
import { connect } from "proffer/testing";
import { describe, expect, it } from "vitest";
import { cutResult } from "../../src/features/max-result/cut.ts";

type Make = (size: number) => CallResult;

const textsOf = (...texts: string[]) => blocksOf(texts);
const blocksOf = (texts: readonly string[]) => ({ content: texts.map((text) => ({ type: "text" as const, text })) });
const both = (value: object) => ({ ...textsOf(JSON.stringify(value)), structuredContent: value });
const members = (count: number, more: object = {}) => ({
  ...Object.fromEntries(Array.from({ length: count }, (_, at) => [`k${at}`, at])),
  ...more,
});

/** Results by the shapes that took quadratic time, or could. */
const SHAPES: { readonly [shape: string]: Make } = {
  "a line without an end": (size) => textsOf("a".repeat(size * 100)),
  "characters of three bytes": (size) => textsOf("語".repeat(size * 50)),
  "short lines": (size) => textsOf("ab\n".repeat(size * 50)),
  "empty blocks": (size) => blocksOf([...Array<string>(size * 10).fill(""), "x".repeat(3000)]),
  "many keys": (size) => both(members(size)),
  "many keys beside a text": (size) => both(members(size, { text: "a".repeat(size * 50) })),
  "a text that is escaped": (size) => both({ text: "\u0000".repeat(size * 25) }),
  "an array": (size) => both(Array.from({ length: size * 3 }, (_, at) => ({ at }))),
};

/** Milliseconds of CPU, the least of three runs. */
async function cpuOf(work: () => unknown): Promise<number> {
  const times: number[] = [];
  for (let run = 0; run < 3; run++) {
    const before = process.cpuUsage();
    await work();
    const { user, system } = process.cpuUsage(before);
    times.push((user + system) / 1000);
  }
  return Math.min(...times);
}

/** Linear work takes 8 times as long for 8 times the size, quadratic work 64 times. */
const SIZE = 3000;
const FACTOR = 8;
const MOST = 3 * FACTOR;
/** Milliseconds; less is too little to compare. */
const LEAST = 3;

describe("the time to cut a result grows with its size, not with the square of it", () => {
  it.each(Object.entries(SHAPES))("%s", async (_shape, make) => {
    const [small, large] = [make(SIZE), make(SIZE * FACTOR)];
    const cut = (result: CallResult) => () =>
      cutResult(result, 1000, { isValid: undefined, hidesText: false })?.remaining();
    const time = Math.max(await cpuOf(cut(small)), LEAST);
    expect((await cpuOf(cut(large))) / time).toBeLessThan(MOST);
  });

  it("also to read all of the rest of an array", async () => {
    const rows = defineTool({
      name: "rows",
      input: { type: "object", properties: { count: { type: "integer" } }, required: ["count"] } as const,
      handle: ({ count }) => Array.from({ length: count }, (_, at) => at) as never,
    });
    const server = defineServer({ name: "s", version: "1", maxResult: { bytes: 1000 }, tools: [rows] });
    const client = await connect(server);
    const timeOf = async (count: number) => {
      const result = JSON.stringify(await client.call(rows, { count }));
      const uri = /proffer-result:\/\/[\w-]+/.exec(result)?.[0] as string;
      return cpuOf(() => client.read(uri));
    };
    const time = Math.max(await timeOf(SIZE * 5), LEAST);
    expect((await timeOf(SIZE * 5 * FACTOR)) / time).toBeLessThan(MOST);
    await client.close();
  });
});
