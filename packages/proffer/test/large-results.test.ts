import { describe, expect, it } from "vitest";
import { contents, defineResource, defineServer, defineTool, type Server } from "../src/index.ts";
import { connect } from "../src/testing/connect.ts";
import { EVERY } from "./versions.ts";

/** Around the sizes where an answer begins to travel as bytes instead of text. */
const SIZES = [0, 1, 16_000, 16_384, 40_000];
const TEXT = 'a "quoted" line,\n a tab\t, \\ and ünïcödé 🐦, \u2028 and so on; ';

function textOf(size: number): string {
  return TEXT.repeat(Math.ceil(size / TEXT.length)).slice(0, size);
}

function bytesOf(size: number): Uint8Array {
  return Uint8Array.from({ length: size }, (_, at) => (at * 31) % 256);
}

describe.each(EVERY)("on %s, answers of every size arrive as they were given", (revision) => {
  it.each(SIZES)("as a text of %i characters", async (size) => {
    const client = await connect(
      serverOf(() => textOf(size)),
      { revision },
    );
    expect((await client.read("made:it")).contents).toEqual([
      { uri: "made:it", mimeType: "text/plain", text: textOf(size) },
    ]);
  });

  it.each(SIZES)("as a blob of %i bytes, with metadata of its own", async (size) => {
    const _meta = { "example.org/blob": '"blob":""' };
    const client = await connect(
      serverOf(() => contents([{ blob: bytesOf(size), mimeType: "image/png", _meta }])),
      {
        revision,
      },
    );
    const blob = Buffer.from(bytesOf(size)).toString("base64");
    const [content] = (await client.read("made:it")).contents;
    // The oldest revisions have no metadata there.
    expect({ _meta, ...content }).toEqual({ uri: "made:it", mimeType: "image/png", _meta, blob });
  });

  it("as two blobs, and with metadata of the whole", async () => {
    const blob = bytesOf(40_000);
    const client = await connect(
      serverOf(() => contents([{ blob }, { blob }], { _meta: { a: 1 } })),
      { revision },
    );
    const result = await client.read("made:it");
    expect(result.contents.map((each) => each.blob)).toEqual([0, 1].map(() => Buffer.from(blob).toString("base64")));
    expect(result._meta).toMatchObject({ a: 1 });
  });

  it.each(SIZES)("as a tool's object with a text of %i characters", async (size) => {
    const tool = defineTool({ name: "made", handle: () => ({ text: textOf(size), nothing: undefined }) });
    const client = await connect(defineServer({ name: "large", version: "1.0.0", tools: [tool] }), { revision });
    const [block] = (await client.call("made")).content;
    expect(JSON.parse(block?.type === "text" ? block.text : "")).toEqual({ text: textOf(size) });
  });

  it("escapes what an around hook has put in the place of a blob", async () => {
    const strange = '","injected":"'.repeat(4_000);
    const server = defineServer({
      name: "large",
      version: "1.0.0",
      resources: [defineResource({ uri: "made:it", name: "made", read: () => bytesOf(40_000) })],
      around: async (_, next) => {
        const result = (await next()) as { contents?: object[] };
        return result.contents === undefined
          ? result
          : { contents: result.contents.map((each) => ({ ...each, blob: strange })) };
      },
    });
    const [content] = (await (await connect(server, { revision })).read("made:it")).contents;
    expect(content).toEqual({ uri: "made:it", mimeType: "application/octet-stream", blob: strange });
  });
});

function serverOf(read: () => unknown): Server {
  return defineServer({
    name: "large",
    version: "1.0.0",
    resources: [defineResource({ uri: "made:it", name: "made", read })],
  });
}
