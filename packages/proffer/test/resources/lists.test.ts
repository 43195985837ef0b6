import { randomBytes } from "node:crypto";
import fc from "fast-check";
import { defineResource, defineServer, type ListEntry, type ListFunction, type ServerOptions } from "proffer";
import { connect, type TestClient } from "proffer/testing";
import { describe, expect, it } from "vitest";

function serverOf(list: ListFunction, options: Partial<ServerOptions> = {}) {
  const template = defineResource({ uri: "n://{id}", name: "n", mimeType: "text/plain", list, read: ({ id }) => id });
  return defineServer({
    name: "lists",
    version: "1",
    pageSize: 3,
    log: () => undefined,
    resources: [template],
    ...options,
  });
}

function entry(id: string | number): ListEntry {
  return { uri: `n://${id}`, name: `number ${id}` };
}

interface Page {
  readonly resources: { readonly uri: string }[];
  readonly nextCursor?: string;
  readonly _meta?: object;
}

async function page(client: TestClient, cursor?: string): Promise<Page> {
  return (await client.request("resources/list", cursor === undefined ? {} : { cursor })) as unknown as Page;
}

function uris({ resources }: Page): string[] {
  return resources.map(({ uri }) => uri);
}

describe("the list of a template", () => {
  it("follows the fixed resources and fills their last page", async () => {
    const fixed = ["a", "b", "c", "d"].map((id) => defineResource({ uri: `f://${id}`, name: id, content: "" }));
    const server = serverOf(() => [entry(1), entry(2), entry(3)]);
    for (const resource of fixed) server.resources.add(resource);
    const client = await connect(server);
    const first = await page(client);
    const second = await page(client, first.nextCursor);
    const third = await page(client, second.nextCursor);
    expect([first, second, third].map(uris)).toEqual([
      ["f://a", "f://b", "f://c"],
      ["f://d", "n://1", "n://2"],
      ["n://3"],
    ]);
    expect(third.nextCursor).toBeUndefined();
  });

  it("has no cursor on an empty page", async () => {
    const fixed = ["a", "b", "c"].map((id) => defineResource({ uri: `f://${id}`, name: id, content: "" }));
    const client = await connect(serverOf(() => [], { resources: [...fixed, ...onlyTemplate(() => [])] }));
    expect(await page(client)).not.toHaveProperty("nextCursor");
  });

  it("passes on the known properties of entries, including zero and false, and no others", async () => {
    const client = await connect(
      serverOf(() => [
        {
          ...entry(0),
          title: "Zero",
          size: 0,
          annotations: { priority: 0, audience: ["user"], lastModified: "2026-01-31T00:00:00Z" },
          icons: [{ src: "data:," }],
          _meta: { flag: false },
          secret: "column",
        } as ListEntry,
        { uri: "n://1", mimeType: "text/csv" },
      ]),
    );
    expect((await page(client)).resources).toEqual([
      {
        uri: "n://0",
        name: "number 0",
        title: "Zero",
        mimeType: "text/plain",
        size: 0,
        annotations: { priority: 0, audience: ["user"], lastModified: "2026-01-31T00:00:00Z" },
        icons: [{ src: "data:," }],
        _meta: { flag: false },
      },
      { uri: "n://1", name: "n://1", mimeType: "text/csv" },
    ]);
  });

  it("can be an async generator that starts at `after`", async () => {
    const requests: unknown[] = [];
    const client = await connect(
      serverOf(async function* ({ after, limit }) {
        requests.push([after, limit]);
        for (let n = after === undefined ? 1 : Number(String(after).slice(4)) + 1; n <= 7; n++) yield entry(n);
      }),
    );
    expect(await client.listResources()).toHaveLength(7);
    expect(requests).toEqual([
      [undefined, 3],
      ["n://3", 3],
      ["n://6", 3],
    ]);
  });

  it("can contain promises of entries", async () => {
    const client = await connect(serverOf(() => [1, 2, 3, 4].map(async (id) => entry(id)) as unknown as ListEntry[]));
    expect(uris(await page(client))).toEqual(["n://1", "n://2", "n://3"]);
    expect(await client.listResources()).toHaveLength(4);
  });

  it("is sorted by the keys of its entries", async () => {
    const client = await connect(serverOf(() => [30, 20, 10, 5].map((id, at) => ({ ...entry(id), key: at }))));
    const listed = await client.listResources();
    expect(listed.map(({ uri }) => uri)).toEqual(["n://30", "n://20", "n://10", "n://5"]);
    expect(listed[0]).not.toHaveProperty("key");
  });

  it.each([
    ["is not sorted", [entry(2), entry(1)]],
    [
      "has keys of two types",
      [
        { ...entry(1), key: 1 },
        { ...entry(2), key: "2" },
      ],
    ],
    ["contains entries without a uri", [{ name: "x" } as unknown as ListEntry]],
  ])("fails if it %s, and the log has the reason", async (_, entries) => {
    const logged: unknown[] = [];
    const client = await connect(serverOf(() => entries, { log: (line) => logged.push(line.error) }));
    await expect(page(client)).rejects.toMatchObject({
      code: -32603,
      message: "Failed to list the resources of n://{id}.",
    });
    expect(String(logged[0])).toContain("Resource n://{id}: list yielded ");
  });

  it("neither skips nor repeats an entry while others are added and removed", async () => {
    const command = fc.record({ id: fc.integer({ min: 100, max: 199 }), add: fc.boolean() });
    await fc.assert(
      fc.asyncProperty(fc.array(fc.array(command, { maxLength: 10 }), { maxLength: 8 }), async (rounds) => {
        const present = new Set(Array.from({ length: 10 }, (_, at) => 100 + at * 10));
        const stayed = new Set(present);
        const client = await connect(serverOf(() => [...present].sort().map(entry)));
        const seen: string[] = [];
        let cursor: string | undefined;
        for (let at = 0; at === 0 || cursor !== undefined; at++) {
          const result = await page(client, cursor);
          seen.push(...uris(result));
          cursor = result.nextCursor;
          for (const { id, add } of rounds[at] ?? []) {
            if (add) {
              present.add(id);
              continue;
            }
            present.delete(id);
            stayed.delete(id);
          }
        }
        expect(new Set(seen).size).toBe(seen.length);
        for (const id of stayed) expect(seen).toContain(`n://${id}`);
      }),
      { numRuns: 50 },
    );
  });

  it("reads no more of a million entries than a page and one", async () => {
    let yielded = 0;
    let open = 0;
    const client = await connect(
      serverOf(
        function* ({ after }) {
          open++;
          try {
            for (let n = after === undefined ? 0 : Number(after) + 1; n < 1_000_000; n++) {
              yielded++;
              yield { ...entry(n), key: n };
            }
          } finally {
            open--;
          }
        },
        { pageSize: 1000 },
      ),
    );
    const first = await page(client);
    const second = await page(client, first.nextCursor);
    expect(second.resources.at(-1)).toMatchObject({ uri: "n://1999" });
    expect(yielded).toBe(2002);
    expect(open).toBe(0);
  });
});

describe("a list with its own cursors", () => {
  const pages: ListFunction = ({ cursor }) =>
    cursor === undefined
      ? { items: [entry(1), entry(2)], nextCursor: "page2", _meta: { total: 3 } }
      : { items: [entry(`after-${cursor}`)] };

  it("determines its own pages and metadata, and its cursors are encrypted", async () => {
    const client = await connect(serverOf(pages), { revision: "2025-06-18" });
    const first = await page(client);
    expect(first).toMatchObject({ _meta: { total: 3 } });
    expect(first.nextCursor).not.toContain("page2");
    expect(Buffer.from(first.nextCursor ?? "", "base64url").toString("latin1")).not.toContain("page2");
    const second = await page(client, first.nextCursor);
    expect(uris(second)).toEqual(["n://after-page2"]);
    expect(second).not.toHaveProperty("nextCursor");
    expect(second).not.toHaveProperty("_meta");
  });

  it("is not split if fixed resources leave too little room", async () => {
    const fixed = ["a", "b", "c"].map((id) => defineResource({ uri: `f://${id}`, name: id, content: "" }));
    const client = await connect(serverOf(pages, { resources: [...fixed, ...onlyTemplate(pages)] }));
    const all = await client.listResources();
    expect(all.map(({ uri }) => uri)).toEqual(["f://a", "f://b", "f://c", "n://1", "n://2", "n://after-page2"]);
  });
});

describe("a cursor", () => {
  const keys = [randomBytes(32)];
  const many: ListFunction = () => ["a", "b", "c", "d", "e"].map(entry);
  const refused = { code: -32602, message: expect.stringContaining("Start again without one") };

  it("works only for the caller that received it", async () => {
    const server = serverOf(many, { keys });
    const ann = await connect(server, { principal: { id: "ann" } });
    const bob = await connect(server, { principal: { id: "bob" } });
    const { nextCursor } = await page(ann);
    await expect(page(bob, nextCursor)).rejects.toMatchObject(refused);
    await expect(page(await connect(server), nextCursor)).rejects.toMatchObject(refused);
    expect(uris(await page(ann, nextCursor))).toEqual(["n://d", "n://e"]);
  });

  it("does not work for another list or another server", async () => {
    const client = await connect(serverOf(many, { keys }));
    const other = await connect(
      defineServer({ name: "other", version: "1", keys, pageSize: 3, resources: onlyTemplate(many) }),
    );
    const { nextCursor } = await page(client);
    await expect(page(other, nextCursor)).rejects.toMatchObject(refused);
    await expect(client.request("resources/templates/list", { cursor: nextCursor })).rejects.toMatchObject(refused);
  });

  it("is rejected if any character was changed", async () => {
    const client = await connect(serverOf(many, { keys }));
    const { nextCursor = "" } = await page(client);
    for (let at = 0; at < nextCursor.length; at++) {
      const changed = nextCursor.slice(0, at) + (nextCursor[at] === "A" ? "B" : "A") + nextCursor.slice(at + 1);
      await expect(page(client, changed)).rejects.toMatchObject(refused);
    }
    for (const cursor of ["", "x", "page2", "__proto__", "A".repeat(100_000), 7, null, {}]) {
      await expect(client.request("resources/list", { cursor })).rejects.toMatchObject(refused);
    }
  });

  it("continues in another process with the same key", async () => {
    const { nextCursor } = await page(await connect(serverOf(many, { keys })));
    const elsewhere = await connect(serverOf(many, { keys: [randomBytes(32), ...keys] }));
    expect(uris(await page(elsewhere, nextCursor))).toEqual(["n://d", "n://e"]);
  });
});

describe("a computed result", () => {
  it("is private to an authenticated caller on all pages, unless the resource sets its own scope", async () => {
    const own = defineResource({ uri: "own://x", name: "own", cache: { cacheScope: "public" }, read: () => "" });
    const fixed = ["a", "b", "c", "d"].map((id) => defineResource({ uri: `f://${id}`, name: id, content: "" }));
    const server = serverOf(() => [entry(1), entry(2)], {
      cache: { cacheScope: "public", ttlMs: 10 },
      resources: [own, ...fixed, ...onlyTemplate(() => [entry(1), entry(2)])],
    });
    const ann = await connect(server, { principal: { id: "ann" } });
    const anonymous = await connect(server);
    for (const [client, cacheScope] of [
      [ann, "private"],
      [anonymous, "public"],
    ] as const) {
      const first = await page(client);
      expect(first).toMatchObject({ cacheScope, ttlMs: 10 });
      expect(await page(client, first.nextCursor)).toMatchObject({ cacheScope, ttlMs: 10 });
      expect(await client.read("n://1")).toMatchObject({ cacheScope });
      expect(await client.read("own://x")).toMatchObject({ cacheScope: "public" });
    }
  });
});

function onlyTemplate(list: ListFunction) {
  return [defineResource({ uri: "n://{id}", name: "n", list, read: ({ id }) => id })];
}
