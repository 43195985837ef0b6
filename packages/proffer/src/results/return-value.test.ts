import { Readable } from "node:stream";
import { describe, expect, it } from "vitest";
import { collect, isStream } from "./return-value.ts";

const LIMIT = 100;

async function* from<Item>(...items: Item[]): AsyncGenerator<Item> {
  yield* items;
}

describe("collect", () => {
  it("joins bytes to bytes and texts to a text, and returns anything else as an array", async () => {
    expect(await collect(from(Uint8Array.of(1), Buffer.from([2, 3])), LIMIT)).toEqual(Buffer.of(1, 2, 3));
    expect(await collect(from("a", "", "b"), LIMIT)).toBe("ab");
    expect(await collect(from<unknown>("a", 1, { b: 2 }), LIMIT)).toEqual(["a", 1, { b: 2 }]);
    expect(await collect(from(), LIMIT)).toEqual([]);
  });

  it("reads streams of Node and of the web platform", async () => {
    expect(await collect(Readable.from([Buffer.from("a"), Buffer.from("b")]), LIMIT)).toEqual(Buffer.from("ab"));
    expect(await collect(new Response("ab").body ?? from(), LIMIT)).toEqual(Buffer.from("ab"));
  });

  it("stops reading at the limit and closes the stream", async () => {
    const chunk = new Uint8Array(LIMIT / 4);
    let yielded = 0;
    let stopped = false;
    async function* endless() {
      try {
        for (;;) {
          yielded++;
          yield chunk;
        }
      } finally {
        stopped = true;
      }
    }
    await expect(collect(endless(), LIMIT)).rejects.toMatchObject({ kind: "internal_error" });
    expect(yielded).toBe(5);
    expect(stopped).toBe(true);
  });

  it("rejects with the error of the stream", async () => {
    async function* broken() {
      yield "a";
      throw new Error("cut");
    }
    await expect(collect(broken(), LIMIT)).rejects.toThrow("cut");
  });

  it.each([undefined, null, "text", [], {}, new Uint8Array()])("%j is not a stream", (value) => {
    expect(isStream(value)).toBe(false);
  });
});
