import { appendFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync, truncateSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { InvalidParams } from "../../protocol/errors.ts";
import type { Resource } from "../../resources/define.ts";
import { charset } from "../../resources/param-kinds.ts";
import type { Watch } from "../../resources/watch.ts";
import { defineServer } from "../../server/server.ts";
import { connect } from "../../testing/connect.ts";
import { type BadLineMessage, jsonl } from "./jsonl.ts";
import { LineReader } from "./lines.ts";

let directory: string;

beforeAll(() => {
  directory = mkdtempSync(join(tmpdir(), "proffer-jsonl-"));
});

afterAll(() => {
  rmSync(directory, { recursive: true, force: true });
});

function file(name: string, text: string): string {
  const path = join(directory, name);
  writeFileSync(path, text);
  return path;
}

function open(resources: ReturnType<typeof jsonl>) {
  return connect(defineServer({ name: "jsonl", version: "1", log: () => undefined, resources: [resources] }));
}

describe("jsonl", () => {
  it("returns rows by offset and limit, verbatim", async () => {
    const rows = Array.from({ length: 150 }, (_, at) => `{"n":${at},"big":12345678901234567890.0}\n`).join("");
    const client = await open(jsonl(file("rows.jsonl", rows), { uri: "rows://all", name: "rows" }));
    const whole = await client.read("rows://all");
    expect(whole.contents[0]).toMatchObject({
      mimeType: "application/json",
      text: expect.stringMatching(/^\[\{"n":0,"big":12345678901234567890\.0\},.*"n":99,[^[]*\]$/),
      _meta: { "proffer/offset": 0, "proffer/rows": 100, "proffer/more": true },
    });
    const last = await client.read("rows://all?offset=148&limit=10");
    expect(JSON.parse(last.contents[0]?.text ?? "").map(({ n }: { n: number }) => n)).toEqual([148, 149]);
    expect(last.contents[0]?._meta).toMatchObject({ "proffer/more": false });
    expect((await client.read("rows://all?limit=0")).contents[0]?.text).toBe("[]");
    expect((await client.read("rows://all?offset=1000")).contents[0]?.text).toBe("[]");
    expect((await client.listTemplates())[0]).toMatchObject({ uriTemplate: "rows://all{?offset,limit}" });
  });

  it("skips blank lines, and reports a bad line without losing the others", async () => {
    const text = '{"a":1}\n\n  \r\n{"a":\n{"a":3}\r\n[4]';
    const client = await open(jsonl(file("bad.jsonl", text), { uri: "bad://x", name: "bad" }));
    expect((await client.read("bad://x")).contents[0]).toMatchObject({
      text: '[{"a":1},{"a":3},[4]]',
      _meta: { "proffer/rows": 3, "proffer/badLines": [{ line: 4, problem: "is not JSON" }] },
    });
    const strict = await open(jsonl(file("bad.jsonl", text), { uri: "bad://x", name: "bad", badLines: "fail" }));
    await expect(strict.read("bad://x")).rejects.toMatchObject({ code: -32603, message: "Line 4 is not JSON." });
    expect((await strict.read("bad://x?limit=1")).contents[0]?.text).toBe('[{"a":1}]');
  });

  it("reports a line over the length limit", async () => {
    const long = JSON.stringify("x".repeat(200_000));
    const options = { uri: "long://x", name: "long", maxLineBytes: 1000 };
    const client = await open(jsonl(file("long.jsonl", `1\n${long}\n3\n`), options));
    expect((await client.read("long://x")).contents[0]).toMatchObject({
      text: "[1,3]",
      _meta: { "proffer/badLines": [{ line: 2, problem: "is too long" }] },
    });
  });

  it("finds its file by the template variables", async () => {
    file("card-1.jsonl", "1\n2\n");
    const resources = jsonl(({ id }) => (id === "none" ? undefined : join(directory, `card-${id}.jsonl`)), {
      uri: "cards://{id}/samples",
      name: "samples",
      params: { id: charset("a-z0-9") },
      limit: { default: 1, max: 5 },
      hideQuery: true,
    });
    const client = await open(resources);
    expect((await client.read("cards://1/samples")).contents[0]?.text).toBe("[1]");
    expect((await client.listTemplates())[0]).toMatchObject({ uriTemplate: "cards://{id}/samples" });
    await expect(client.read("cards://none/samples")).rejects.toMatchObject({ message: /Resource not found/ });
    await expect(client.read("cards://2/samples")).rejects.toMatchObject({ message: /Resource not found/ });
    await expect(client.read("cards://1/samples?limit=6")).rejects.toMatchObject({ message: /is greater than 5/ });
    await expect(client.read("cards://A/samples")).rejects.toMatchObject({ code: -32602 });
  });

  it("can be listed, and completed from its list or from `complete`", async () => {
    const resources = jsonl(({ id, kind }) => `${id}-${kind}.jsonl`, {
      uri: "cards://{id}/{kind}",
      name: "samples",
      within: directory,
      list: () => ["a", "b"].map((id) => ({ uri: `cards://${id}/x`, name: id })),
      complete: { kind: ["x", "y"] },
    });
    const client = await open(resources);
    expect(await client.listResources()).toMatchObject([
      { uri: "cards://a/x", name: "a", mimeType: "application/json" },
      { uri: "cards://b/x" },
    ]);
    const ref = { type: "ref/resource", uri: "cards://{id}/{kind}{?offset,limit}" };
    const complete = async (name: string) =>
      (await client.request("completion/complete", { ref, argument: { name, value: "" } })).completion;
    expect(await complete("id")).toMatchObject({ values: ["a", "b"] });
    expect(await complete("kind")).toMatchObject({ values: ["x", "y"] });
  });

  it("has no rows if it exists but its file does not", async () => {
    file("known-2.jsonl", "2\n");
    const resources = jsonl(({ id }) => `known-${id}.jsonl`, {
      uri: "known://{id}",
      name: "known",
      within: directory,
      params: { id: charset("0-9") },
      exists: async ({ id }) => Number(id) < 3,
    });
    const client = await open(resources);
    expect((await client.read("known://1")).contents[0]).toMatchObject({
      text: "[]",
      _meta: { "proffer/rows": 0, "proffer/more": false },
    });
    expect((await client.read("known://2")).contents[0]?.text).toBe("[2]");
    file("known-3.jsonl", "3\n");
    await expect(client.read("known://3")).rejects.toMatchObject({ message: 'Resource not found: "known://3".' });
  });

  it("can be subscribed to if it exists", async () => {
    file("there-1.jsonl", "");
    const resources = jsonl(({ id }) => join(directory, `there-${id}.jsonl`), { uri: "there://{id}", name: "there" });
    const client = await connect(defineServer({ name: "jsonl", version: "1", resources }), { revision: "2025-11-25" });
    await client.request("resources/subscribe", { uri: "there://1?limit=5" });
    await expect(client.request("resources/subscribe", { uri: "there://2" })).rejects.toMatchObject({
      message: 'Resource not found: "there://2".',
    });
  });

  it("fails with the author's message for a bad line", async () => {
    const path = file("worded.jsonl", '{"a":1}\n{"a":\n');
    const read = async (badLines: BadLineMessage) =>
      (await open(jsonl(path, { uri: "worded://x", name: "worded", badLines }))).read("worded://x");
    await expect(read(({ line, problem }, { uri }) => `${uri}: sample ${line} ${problem}`)).rejects.toMatchObject({
      code: -32603,
      message: "worded://x: sample 2 is not JSON",
    });
    await expect(read(() => new InvalidParams("no samples"))).rejects.toMatchObject({
      code: -32602,
      message: "no samples",
    });
  });

  it("rejects a uri with a query", () => {
    expect(() => jsonl("x", { uri: "x://y{?z}", name: "x" })).toThrow(expect.objectContaining({ code: "bad_option" }));
  });
});

describe("watched JSON lines", () => {
  /** Writes until the notification arrives: a watcher may still be starting, and chokidar may merge changes. */
  async function writeUntil(notified: Promise<unknown>, path: string): Promise<void> {
    const writing = setInterval(() => appendFileSync(path, "1\n"), 50);
    await notified;
    clearInterval(writing);
  }

  /** Resolves `started` when the watcher of the resource runs. */
  function observeStart([resource]: readonly Resource[]): { resource: Resource; started: Promise<void> } {
    if (resource?.watch === undefined) throw new Error("The resource has no watcher.");
    const { watch } = resource;
    let resolve: () => void;
    const started = new Promise<void>((settle) => {
      resolve = settle;
    });
    const observed: Watch = async (events) => {
      const stop = await watch(events);
      resolve();
      return stop;
    };
    return { resource: { ...resource, watch: observed }, started };
  }

  it("notify subscribers of a single file, with and without a query, and not of changes in another file", async () => {
    const path = file("single.jsonl", "");
    const otherPath = file("other.jsonl", "");
    const single = observeStart(jsonl(path, { uri: "single://x", name: "single", watch: true }));
    const other = jsonl(otherPath, { uri: "other://x", name: "other", watch: true });
    const client = await open([single.resource, ...other]);
    const uris = ["single://x", "single://x?limit=1"];
    await client.listen({ uris: [...uris, "other://x"] });
    await single.started;
    const updated = (uri: string) =>
      client.waitFor("notifications/resources/updated", ({ params }) => params.uri === uri);
    // After several rounds, a wrong notification by the watcher of single.jsonl would have arrived too.
    for (let round = 0; round < 5; round++) await writeUntil(updated("other://x"), otherPath);
    const updates = client.notifications.filter(({ method }) => method === "notifications/resources/updated");
    expect(new Set(updates.map(({ params }) => params.uri))).toEqual(new Set(["other://x"]));
    await writeUntil(Promise.all(uris.map(updated)), path);
    await client.close();
  });

  it("notify all subscribers of a directory, and clients that listen to the list", async () => {
    const folder = join(directory, "watched");
    mkdirSync(folder);
    const path = join(folder, "a.jsonl");
    writeFileSync(path, "");
    const resources = jsonl(({ id }) => `${id}.jsonl`, {
      uri: "rows://{id}",
      name: "rows",
      within: folder,
      list: () => [],
      watch: true,
    });
    const client = await open(resources);
    await client.listen({ uris: ["rows://a?offset=1"], lists: ["resources"] });
    await writeUntil(client.waitFor("notifications/resources/updated"), path);
    writeFileSync(join(folder, "b.jsonl"), "");
    await client.waitFor("notifications/resources/list_changed");
    await client.close();
  });

  it("can have a custom watcher, and need one or `within` for a resolver", async () => {
    const watch: Watch = (events) => {
      events.updated({ prefix: "own://" });
      return () => undefined;
    };
    const client = await open(jsonl(() => file("own.jsonl", ""), { uri: "own://{id}", name: "own", watch }));
    await client.listen({ uris: ["own://1"] });
    await client.waitFor("notifications/resources/updated", ({ params }) => params.uri === "own://1");
    await client.close();
    expect(() => jsonl(() => "x", { uri: "x://{id}", name: "x", watch: true })).toThrow(
      expect.objectContaining({
        code: "bad_option",
        message: expect.stringContaining("set within to their directory"),
      }),
    );
  });
});

describe("a line reader", () => {
  it("returns the same rows as splitting the text, from any offset", async () => {
    const line = fc.oneof(
      fc.constantFrom("", " ", "\r"),
      fc.string({ maxLength: 20 }).map((text) => text.replaceAll("\n", "")),
    );
    await fc.assert(
      fc.asyncProperty(fc.array(line, { maxLength: 50 }), fc.nat(30), fc.nat(30), async (lines, offset, limit) => {
        const path = file("any.txt", lines.join("\n"));
        const rows = lines
          .map((text, at) => ({ number: at + 1, text: text.replace(/\r$/, "") }))
          .filter(({ text }) => !/^[ \r\t]*$/.test(text));
        const page = await new LineReader(1000).read(path, offset, limit);
        expect(page?.lines).toEqual(rows.slice(offset, offset + limit));
        expect(page?.more).toBe(rows.length > offset + limit);
      }),
      { numRuns: 200 },
    );
  });

  it("keeps its checkpoints while the file grows, and drops them if it is replaced", async () => {
    const reader = new LineReader(1000);
    const numbers = (from: number, to: number) =>
      Array.from({ length: to - from }, (_, at) => `${from + at}\n`).join("");
    const path = file("growing.jsonl", numbers(0, 5000));
    const first = async (offset: number) => (await reader.read(path, offset, 1))?.lines[0];
    expect(await first(4500)).toEqual({ number: 4501, text: "4500" });
    expect(await first(3999)).toEqual({ number: 4000, text: "3999" });
    appendFileSync(path, numbers(5000, 9000));
    expect(await first(8000)).toEqual({ number: 8001, text: "8000" });
    expect(await first(2000)).toEqual({ number: 2001, text: "2000" });
    writeFileSync(path, `${"x".repeat(900)}\n`.repeat(9000));
    expect(await first(8000)).toEqual({ number: 8001, text: "x".repeat(900) });
  });

  it("reads no more of a large file than the page needs", async () => {
    const path = file("large.jsonl", '{"n":1}\n{"n":2}\n{"n":3}\n');
    // A sparse gigabyte, which would be one endless line if it were read.
    truncateSync(path, 1_000_000_000);
    const before = bytesRead();
    const page = await new LineReader(1000).read(path, 0, 2);
    expect(page?.lines).toEqual([
      { number: 1, text: '{"n":1}' },
      { number: 2, text: '{"n":2}' },
    ]);
    expect(page?.more).toBe(true);
    expect(bytesRead() - before).toBeLessThan(10_000_000);
  });
});

/** The number of bytes that this process has read; 0 on systems other than Linux. */
function bytesRead(): number {
  if (process.platform !== "linux") return 0;
  return Number(/rchar: (\d+)/.exec(readFileSync("/proc/self/io", "utf8"))?.[1]);
}
