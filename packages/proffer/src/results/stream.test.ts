import { Readable } from "node:stream";
import { describe, expect, it } from "vitest";
import { collect, isStream } from "./stream.ts";

const LIMIT = 100;

async function* from<Item>(...items: Item[]): AsyncGenerator<Item> {
  yield* items;
}

describe("a stream", () => {
  it("of bytes gives bytes, of texts a text, of anything else a list", async () => {
    expect(await collect(from(Uint8Array.of(1), Buffer.from([2, 3])), LIMIT)).toEqual(Buffer.of(1, 2, 3));
    expect(await collect(from("a", "", "b"), LIMIT)).toBe("ab");
    expect(await collect(from<unknown>("a", 1, { b: 2 }), LIMIT)).toEqual(["a", 1, { b: 2 }]);
    expect(await collect(from(), LIMIT)).toEqual([]);
  });

  it("may be of Node or of the web", async () => {
    expect(await collect(Readable.from([Buffer.from("a"), Buffer.from("b")]), LIMIT)).toEqual(Buffer.from("ab"));
    expect(await collect(new Response("ab").body ?? from(), LIMIT)).toEqual(Buffer.from("ab"));
  });

  it("is read no further than an answer may hold, and told to stop", async () => {
    const chunk = new Uint8Array(LIMIT / 4);
    let given = 0;
    let stopped = false;
    async function* endless() {
      try {
        for (;;) {
          given++;
          yield chunk;
        }
      } finally {
        stopped = true;
      }
    }
    await expect(collect(endless(), LIMIT)).rejects.toMatchObject({ kind: "internal_error" });
    expect(given).toBe(5);
    expect(stopped).toBe(true);
  });

  it("fails as it fails", async () => {
    async function* broken() {
      yield "a";
      throw new Error("cut");
    }
    await expect(collect(broken(), LIMIT)).rejects.toThrow("cut");
  });

  it.each([undefined, null, "text", [], {}, new Uint8Array()])("is not %j", (value) => {
    expect(isStream(value)).toBe(false);
  });
});
