import { contents, defineResource, defineServer, defineTool, type Server } from "proffer";
import { createFetchHandler } from "proffer/fetch";
import { serveHttp } from "proffer/http";
import { connect } from "proffer/testing";
import { describe, expect, it } from "vitest";
import { modern, modernHeaders, present, send } from "./http/http-client.ts";
import { EVERY } from "./versions.ts";

/** Around the sizes at which results are sent as bytes, and texts in chunks. */
const SIZES = [0, 1, 16_000, 16_384, 40_000, 65_536, 200_001];
const TEXT = 'a "quoted" line,\n a tab\t, \\ and ünïcödé 🐦, \u2028 and so on; ';

function textOf(size: number): string {
  return TEXT.repeat(Math.ceil(size / TEXT.length)).slice(0, size);
}

function bytesOf(size: number): Uint8Array {
  return Uint8Array.from({ length: size }, (_, at) => (at * 31) % 256);
}

describe.each(EVERY)("on %s, results of every size arrive unchanged", (revision) => {
  it.each(SIZES)("as a text of %i characters", async (size) => {
    const client = await connect(
      serverOf(() => textOf(size)),
      { revision },
    );
    expect((await client.read("made:it")).contents).toEqual([
      { uri: "made:it", mimeType: "text/plain", text: textOf(size) },
    ]);
  });

  it.each(SIZES)("as a tool's text of %i characters", async (size) => {
    const tool = defineTool({ name: "made", handle: () => textOf(size) });
    const client = await connect(defineServer({ name: "large", version: "1.0.0", tools: [tool] }), { revision });
    expect((await client.call("made")).content).toEqual([{ type: "text", text: textOf(size) }]);
  });

  it.each(SIZES)("as a blob of %i bytes with its own metadata", async (size) => {
    const _meta = { "example.org/blob": '"blob":""' };
    const client = await connect(
      serverOf(() => contents([{ blob: bytesOf(size), mimeType: "image/png", _meta }])),
      {
        revision,
      },
    );
    const blob = Buffer.from(bytesOf(size)).toString("base64");
    const [content] = (await client.read("made:it")).contents;
    // The oldest revisions have no metadata on contents.
    expect({ _meta, ...content }).toEqual({ uri: "made:it", mimeType: "image/png", _meta, blob });
  });

  it("as a text and a blob with large metadata", async () => {
    const _meta = { "example.org/more": textOf(40_000) };
    for (const item of [{ text: textOf(40_000) }, { blob: bytesOf(40_000) }]) {
      const client = await connect(
        serverOf(() => contents([{ ...item, _meta }])),
        { revision },
      );
      const [content] = (await client.read("made:it")).contents;
      const blob = "blob" in item ? Buffer.from(item.blob).toString("base64") : undefined;
      expect({ _meta, ...content }).toMatchObject({ ...item, _meta, ...(blob === undefined ? {} : { blob }) });
    }
  });

  it("as two blobs with metadata on the result", async () => {
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

  it("as a blob that middleware replaced, with escaping", async () => {
    const strange = '","injected":"'.repeat(4_000);
    const server = defineServer({
      name: "large",
      version: "1.0.0",
      resources: [defineResource({ uri: "made:it", name: "made", read: () => bytesOf(40_000) })],
      middleware: async (_, next) => {
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

/** The middle of each text is at the end of a chunk, or next to it. */
const PAIRS = [-1, 0, 1].flatMap((offset) =>
  ["🐦", "\ud83d", "\udc26", "\udc26\ud83d", '"', "é"].map(
    (what) => "x".repeat(65_536 + offset) + what + "y".repeat(70_000),
  ),
);

it.each(PAIRS)("a text is not split within a character: %#", async (text) => {
  const client = await connect(serverOf(() => text));
  expect((await client.read("made:it")).contents[0]?.text).toBe(text);
});

describe("over HTTP, a large text has the announced length", () => {
  const message = modern("resources/read", { uri: "made:it" });
  const server = serverOf(() => textOf(200_001));

  it("from serveHttp", async () => {
    const service = await serveHttp(server, { port: 0 });
    try {
      const { headers, body, json } = await send(service.url, {
        method: "POST",
        headers: modernHeaders(message),
        body: JSON.stringify(message),
      });
      expect(json.result.contents[0].text).toBe(textOf(200_001));
      expect(headers["content-length"]).toBe(String(Buffer.byteLength(body)));
    } finally {
      await service.close();
    }
  });

  it("from createFetchHandler", async () => {
    const handler = createFetchHandler(server);
    const headers = present(modernHeaders(message)) as Record<string, string>;
    const request = new Request("http://localhost/mcp", { method: "POST", headers, body: JSON.stringify(message) });
    const { result } = (await (await handler(request)).json()) as { result: { contents: [{ text: string }] } };
    expect(result.contents[0].text).toBe(textOf(200_001));
  });
});

function serverOf(read: () => unknown): Server {
  return defineServer({
    name: "large",
    version: "1.0.0",
    resources: [defineResource({ uri: "made:it", name: "made", read })],
  });
}
