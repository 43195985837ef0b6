import { defineResource, defineServer, defineTool, type LogEntry, type Middleware, type ServerOptions } from "proffer";
import { connect } from "proffer/testing";
import { describe, expect, it } from "vitest";

const PUBLIC = { cacheScope: "public", ttlMs: 60_000 } as const;
const ADA = { principal: { id: "ada" } };

function serve(options: Partial<ServerOptions> = {}) {
  const logged: LogEntry[] = [];
  const server = defineServer({
    name: "s",
    version: "1",
    pageSize: 2,
    tools: ["a", "b", "c", "d", "e"].map((name) => defineTool({ name, handle: () => "" })),
    resources: [
      defineResource({ uri: "mine://{id}", name: "mine", list: mine, read: (_, ctx) => ctx.principal?.id ?? "nobody" }),
      defineResource({ uri: "fixed://1", name: "fixed", content: "the same for everyone" }),
      defineResource({ uri: "shared://1", name: "shared", cache: PUBLIC, read: () => "the same for everyone" }),
    ],
    log: (entry) => void logged.push(entry),
    ...options,
  });
  return { server, logged };
}

function mine() {
  return [1, 2, 3, 4, 5].map((id) => ({ uri: `mine://${id}` }));
}

type Client = Awaited<ReturnType<typeof connect>>;

/** The scopes of all pages of a list. */
async function scopes(client: Client, method: string): Promise<unknown[]> {
  const found: unknown[] = [];
  let cursor: unknown;
  do {
    const page = await client.request(method, cursor === undefined ? {} : { cursor });
    expect(page.ttlMs).toSatisfy((ttl: number) => Number.isInteger(ttl) && ttl >= 0);
    found.push(page.cacheScope);
    cursor = page.nextCursor;
  } while (cursor !== undefined);
  return found;
}

describe("the cache scope", () => {
  it("is private by default, on every page of every list and for every read", async () => {
    const client = await connect(serve().server, ADA);
    for (const method of ["tools/list", "resources/list", "resources/templates/list"]) {
      expect(new Set(await scopes(client, method))).toEqual(new Set(["private"]));
    }
    expect(await client.read("mine://1")).toMatchObject({ cacheScope: "private", ttlMs: 0 });
    expect(await client.read("fixed://1")).toMatchObject({ cacheScope: "private", ttlMs: 0 });
    expect(await client.request("server/discover")).toMatchObject({ cacheScope: "private", ttlMs: 0 });
  });

  it("of a server is public only for content that does not depend on the caller", async () => {
    const client = await connect(serve({ cache: PUBLIC, resourceTools: "never" }).server, ADA);
    expect(await scopes(client, "tools/list")).toEqual(["public", "public", "public"]);
    expect(await client.read("fixed://1")).toMatchObject(PUBLIC);
    expect(await scopes(client, "resources/list")).toEqual(["private", "private", "private", "private"]);
    expect(await client.read("mine://1")).toMatchObject({ cacheScope: "private" });
  });

  it("of a list that middleware filters by caller is private on all pages, even on those it does not change", async () => {
    const middleware: Middleware = async ({ method }, next) => {
      const result = (await next()) as { tools: { name: string }[] };
      if (method !== "tools/list" || !result.tools.some(({ name }) => name === "a")) return result;
      return { ...result, tools: result.tools.filter(({ name }) => name !== "a") };
    };
    const { server } = serve({ cache: PUBLIC, middleware, resourceTools: "never" });
    expect(await scopes(await connect(server, ADA), "tools/list")).toEqual(["private", "private", "private"]);
    expect(await scopes(await connect(server), "tools/list")).toEqual(["public", "public", "public"]);
  });

  it("of the tools is private if the client decides which resources are tools", async () => {
    const client = await connect(serve({ cache: PUBLIC }).server);
    expect(await scopes(client, "tools/list")).toEqual(["private", "private", "private"]);
    expect(await client.request("server/discover")).toMatchObject({ cacheScope: "private" });
    expect(await client.read("fixed://1")).toMatchObject(PUBLIC);
  });

  it("of a result that middleware changed is private for an authenticated caller", async () => {
    const middleware: Middleware = async (_, next) => ({ ...(await next()) });
    const { server } = serve({ cache: PUBLIC, middleware });
    const client = await connect(server, ADA);
    expect(await client.read("fixed://1")).toMatchObject({ cacheScope: "private" });
    expect(await client.request("server/discover")).toMatchObject({ cacheScope: "private" });
  });

  it("that a resource sets to public is kept, and a warning is logged once if callers are authenticated", async () => {
    const { server, logged } = serve();
    expect(await (await connect(server)).read("shared://1")).toMatchObject(PUBLIC);
    expect(logged).toEqual([]);
    const client = await connect(server, ADA);
    for (let n = 0; n < 2; n++) expect(await client.read("shared://1")).toMatchObject(PUBLIC);
    expect(logged).toMatchObject([{ level: "warning", uri: "shared://1" }]);
  });

  it.each([
    [{ ttlMs: -1 }, "ttlMs"],
    [{ ttlMs: 0.5 }, "ttlMs"],
    [{ ttlMs: Number.NaN }, "ttlMs"],
    [{ ttlMs: "1" as never }, "ttlMs"],
    [{ cacheScope: "shared" as never }, "cacheScope"],
  ])("and lifetime of a server and a resource must be valid: %j", (cache, name) => {
    const refused = expect.objectContaining({ code: "bad_option", message: expect.stringContaining(`cache.${name}`) });
    expect(() => serve({ cache })).toThrow(refused);
    expect(() => defineResource({ uri: "x://1", name: "x", cache, content: "" })).toThrow(refused);
  });
});
