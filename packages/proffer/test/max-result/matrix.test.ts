import type { CallResult, ContentBlock } from "proffer";
import { expect, it } from "vitest";
import large, { BIRDS, LINE, MAX_BYTES, POEM } from "../fixtures/large.ts";
import { describeMatrix } from "../matrix.ts";
import { EVERY } from "../versions.ts";
import { collect, cursorOf, sentenceOf, textsOf } from "./collect.ts";

const STRUCTURED = new Set(["2025-06-18", "2025-11-25", "2026-07-28"]);

function bytesOf(blocks: readonly ContentBlock[]): number {
  return Buffer.byteLength(blocks.map((block) => (block.type === "text" ? block.text : "")).join(""));
}

/** The array in the structured content, which older revisions wrap. */
function arrayIn({ structuredContent }: CallResult): readonly unknown[] {
  return Array.isArray(structuredContent) ? structuredContent : (structuredContent as { result: unknown[] }).result;
}

describeMatrix({ server: large, module: "large.ts" }, EVERY, (leg) => {
  it("cuts a text at a line, and the parts are the text", async () => {
    const all = await collect(leg.client, "poem");
    expect(textsOf(all).join("")).toBe(POEM);
    expect(all.parts.length).toBeGreaterThan(3);
    for (const blocks of all.parts) {
      expect(bytesOf(blocks)).toBeLessThanOrEqual(MAX_BYTES);
      expect(textsOf({ ...all, parts: [blocks] }).join("")).toMatch(/\n$/);
    }
    expect(all.sentences[0]).toMatch(
      /^\d+ of 300 lines are shown\. Call more with cursor "[\w-]{24}" for the next part, or read proffer-result:\/\/[\w-]{16} for all of the rest\.$/,
    );
    expect(all.sentences.at(-1)).toMatch(/^Lines \d+ to 300 of 300 are shown\. This is the last part\.$/);
  });

  it("cuts a long line at a character", async () => {
    const all = await collect(leg.client, "line");
    expect(textsOf(all).join("")).toBe(LINE);
    expect(all.sentences[0]).toMatch(/^[\d,]+ of 8,000 characters are shown\. /);
    for (const text of textsOf(all)) expect(() => encodeURIComponent(text)).not.toThrow();
  });

  it("cuts an array at an element, in the text and in the structured content", async () => {
    for (const name of ["list", "typed"]) {
      const all = await collect(leg.client, name);
      expect(textsOf(all).flatMap((text) => JSON.parse(text))).toEqual(BIRDS);
      expect(all.sentences[0]).toMatch(/^\d+ of 400 items are shown\. /);
      expect(all.sentences.at(-1)).toMatch(/^Items \d+ to 400 of 400 are shown\. This is the last part\.$/);
      const isStructured = name === "typed" && STRUCTURED.has(leg.revision);
      if (isStructured) expect(arrayIn(all.first)).toEqual(JSON.parse(textsOf(all)[0] as string));
      else expect(all.first.structuredContent).toBeUndefined();
    }
  });

  it("cuts an array in an object, whose other members stay", async () => {
    const all = await collect(leg.client, "page");
    const [first = "", ...rest] = textsOf(all);
    const { total, birds } = JSON.parse(first);
    expect([...birds, ...rest.flatMap((text) => JSON.parse(text))]).toEqual(BIRDS);
    expect(total).toBe(400);
    if (STRUCTURED.has(leg.revision)) expect(all.first.structuredContent).toEqual({ total, birds });
  });

  it("cuts a text in structured content, at the root and in an object", async () => {
    const story = await collect(leg.client, "story");
    expect(textsOf(story).join("")).toBe(POEM);
    expect(story.sentences[0]).toMatch(/^\d+ of 300 lines are shown\. /);
    const letter = await collect(leg.client, "letter");
    const [first = "", ...rest] = textsOf(letter);
    expect({ ...JSON.parse(first), text: JSON.parse(first).text + rest.join("") }).toEqual({ to: "Ada", text: POEM });
    if (!STRUCTURED.has(leg.revision)) return;
    const value = story.first.structuredContent as string | { result: string };
    expect(typeof value === "string" ? value : value.result).toBe(textsOf(story)[0]);
    expect(letter.first.structuredContent).toEqual(JSON.parse(first));
  });

  it("does not cut structured content that would not match its schema, and says so", async () => {
    const all = await collect(leg.client, "all");
    if (!STRUCTURED.has(leg.revision)) return expect(all.sentences[0]).toContain("of 400 items are shown.");
    expect(arrayIn(all.first)).toEqual(BIRDS);
    expect(all.sentences[0]).toMatch(/^[\d,]+ of [\d,]+ characters are shown\. The structured content is complete\. /);
    expect(JSON.parse(textsOf(all).join(""))).toEqual(BIRDS);
  });

  it("cuts structured content beside a text of the author", async () => {
    if (!STRUCTURED.has(leg.revision))
      return expect(await leg.client.call("told")).toMatchObject({ content: [{ text: "There are many birds." }] });
    const all = await collect(leg.client, "told");
    const [told, ...rest] = textsOf(all);
    expect(told).toBe("There are many birds.");
    expect([...arrayIn(all.first), ...rest.flatMap((text) => JSON.parse(text))]).toEqual(BIRDS);
  });

  it("keeps images, and cuts embedded texts and lists of links", async () => {
    const all = await collect(leg.client, "mixed");
    const blocks = all.parts.flat();
    expect(blocks.filter(({ type }) => type === "image")).toHaveLength(1);
    expect(all.parts[0]?.some(({ type }) => type === "image")).toBe(true);
    const embedded = blocks.flatMap((block) => (block.type === "resource" ? [block.resource.text] : []));
    expect(embedded.join("")).toBe(POEM);
    expect(blocks.at(-1)).toEqual({ type: "text", text: "the end" });
    expect(JSON.stringify(blocks)).toContain("birds://39");
  });

  it("cuts failures, and leaves small results alone", async () => {
    const all = await collect(leg.client, "fails");
    expect(all.first.isError).toBe(true);
    expect(textsOf(all).join("")).toBe(POEM);
    expect((await leg.client.call("small")).content).toEqual([{ type: "text", text: "small" }]);
    expect(await leg.client.call("throws")).toMatchObject({ isError: true, content: [{ type: "text" }] });
    expect((await leg.client.call("roomy")).content).toEqual([{ type: "text", text: POEM }]);
  });

  it("links to the rest, which lists do not have", async () => {
    const first = (await leg.client.call("poem")) as CallResult;
    const [uri = ""] = /proffer-result:\/\/[\w-]{16}/.exec(sentenceOf(first)) ?? [];
    const links = first.content.filter(({ type }) => type === "resource_link");
    expect(links).toHaveLength(STRUCTURED.has(leg.revision) ? 1 : 0);
    const { contents } = await leg.client.read(uri);
    const [shown] = first.content as readonly { text?: string }[];
    expect(contents).toEqual([{ uri, mimeType: "text/plain", text: POEM.slice(shown?.text?.length) }]);
    expect(await leg.client.listResources()).toEqual([]);
    const list = (await leg.client.call("list")) as CallResult;
    const [, id = ""] = /proffer-result:\/\/([\w-]{16})/.exec(sentenceOf(list)) ?? [];
    const [rest] = (await leg.client.read(`proffer-result://${id}`)).contents;
    const [{ text = "" } = {}] = list.content as readonly { text?: string }[];
    expect([...JSON.parse(text), ...JSON.parse(rest?.text ?? "")]).toEqual(BIRDS);
  });

  it("answers every wrong cursor in the same way", async () => {
    const cursor = cursorOf((await leg.client.call("poem")) as CallResult);
    const other = cursorOf((await leg.client.call("poem")) as CallResult);
    const changed = cursor.slice(0, -1) + (cursor.endsWith("A") ? "B" : "A");
    const wrong = [
      "",
      "x",
      cursor.slice(0, 16),
      changed,
      cursor.slice(0, 16) + other.slice(16),
      "head".repeat(6),
      "💥",
    ];
    for (const each of wrong) {
      expect(await leg.client.call("more", { cursor: each })).toMatchObject({
        isError: true,
        content: [{ type: "text", text: "This cursor is unknown or too old. Call the tool again." }],
      });
    }
    expect(await leg.client.call("more", {})).toMatchObject({ isError: true });
    expect(await leg.client.call("more", { cursor: "x".repeat(100_000) })).toMatchObject({ isError: true });
    await expect(leg.client.read(`proffer-result://${changed.slice(8)}`)).rejects.toThrow(
      /not exist|not found|Unknown/i,
    );
    expect(await leg.client.call("more", { cursor })).not.toHaveProperty("isError");
  });

  it("lists the tool, and the size that Claude Code should accept", async () => {
    const tools = await leg.client.listTools();
    expect(tools.map(({ name }) => name)).toContain("more");
    expect(tools.find(({ name }) => name === "more")).toMatchObject({ inputSchema: { required: ["cursor"] } });
    const key = "anthropic/maxResultSizeChars";
    const metas = tools.flatMap(({ name, _meta }) => (_meta?.[key] === undefined ? [] : [[name, _meta[key]]]));
    const expected = [["roomy", 88_000]];
    expect(metas).toEqual(STRUCTURED.has(leg.revision) ? expected : []);
  });
});
