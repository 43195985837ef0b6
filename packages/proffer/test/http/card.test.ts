import { readFileSync } from "node:fs";
import { Ajv2020 } from "ajv/dist/2020.js";
import addFormats from "ajv-formats";
import { defineServer, type LogEntry, type ServerOptions } from "proffer";
import { type ServerCardOptions, serverCard } from "proffer/card";
import { createFetchHandler } from "proffer/fetch";
import { apiKeys, createNodeHandler, type HttpService, serveHttp } from "proffer/http";
import { afterEach, describe, expect, it } from "vitest";
import { modern, postModern, send } from "./http-client.ts";

const CARD = "/mcp/server-card";
const CATALOG = "/.well-known/ai-catalog.json";
const URL_OF_SHOP = "https://shop.example.com/mcp";
const SCHEMA = "https://static.modelcontextprotocol.io/schemas/v1/server-card.schema.json";

const entry = {
  $schema: "https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json",
  name: "com.example/shop",
  description: "Sells things.",
  version: "1.2.3",
  repository: { url: "https://github.com/acme/shop", source: "github" },
  packages: [{ registryType: "npm", identifier: "@acme/shop", version: "1.2.3" }],
  remotes: [{ type: "streamable-http", url: URL_OF_SHOP }],
};

const services: HttpService[] = [];
afterEach(async () => {
  for (const service of services.splice(0)) await service.close();
});

function shop(options: Partial<ServerOptions> = {}) {
  return defineServer({ name: "shop", version: "1.2.3", ...options });
}

async function serve(...[servers, options]: Parameters<typeof serveHttp>): Promise<string> {
  const service = await serveHttp(servers, { port: 0, ...options });
  services.push(service);
  return new URL(service.url).origin;
}

const file = new URL("../official-schemas/server-card.json", import.meta.url);
const ajv = new Ajv2020({ strict: false });
(addFormats as unknown as (ajv: Ajv2020) => void)(ajv);
ajv.addSchema(JSON.parse(readFileSync(file, "utf8")), "card");
const isCard = (card: unknown) => ajv.validate("card#/$defs/ServerCard", card);

describe("the card of a server", () => {
  it("is valid by the schema of the extension, which refuses its five invalid examples (S18)", async () => {
    const server = shop({ title: "Shop", icons: [{ src: "https://shop.example.com/icon.png" }] });
    const headers = [{ name: "X-Key", isRequired: true, isSecret: true, value: "Key {key}" }];
    const card = serverCard({ ...entry, remotes: [{ type: "streamable-http", url: URL_OF_SHOP, headers }] });
    const { json } = await send((await serve(server, { card })) + CARD);
    expect(json).toEqual({
      $schema: SCHEMA,
      name: "com.example/shop",
      title: "Shop",
      description: "Sells things.",
      version: "1.2.3",
      repository: entry.repository,
      icons: [{ src: "https://shop.example.com/icon.png" }],
      remotes: [
        {
          type: "streamable-http",
          url: URL_OF_SHOP,
          headers,
          supportedProtocolVersions: ["2026-07-28", "2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05"],
        },
      ],
    });
    expect(isCard(json)).toBe(true);
    const { name: _name, ...unnamed } = json;
    const { $schema: _schema, ...withoutSchema } = json;
    const invalid = [
      unnamed,
      withoutSchema,
      { ...json, name: "no-slash-in-name" },
      { ...json, $schema: SCHEMA.replace("v1", "2025-11-25") },
      { ...json, $schema: SCHEMA.replace("server-card", "server") },
    ];
    expect(invalid.map(isCard)).toEqual([false, false, false, false, false]);
  });

  it("is for everyone, cached, and equal for every Host (S19)", async () => {
    const keys = apiKeys({ keys: { [`sha256:${"a".repeat(64)}`]: { id: "ci" } } });
    const site = await serve(shop(), { card: serverCard(entry), authenticate: keys });
    expect((await postModern(`${site}/mcp`, modern("server/discover"))).status).toBe(401);
    for (const [path, type] of [
      [CARD, "application/mcp-server-card+json"],
      [CATALOG, "application/ai-catalog+json"],
    ] as const) {
      const got = await send(site + path);
      expect({ status: got.status, headers: got.headers }).toMatchObject({
        status: 200,
        headers: {
          "content-type": type,
          "cache-control": "public, max-age=3600",
          "access-control-allow-origin": "*",
          "access-control-expose-headers": "ETag",
          etag: expect.stringMatching(/^"[\da-f]{40}"$/),
        },
      });
      const { etag = "" } = got.headers;
      const evil = await send(site + path, { headers: { host: "evil.example", origin: "https://evil.example" } });
      expect({ body: evil.body, etag: evil.headers.etag }).toEqual({ body: got.body, etag });
      const head = await send(site + path, { method: "HEAD" });
      expect({ status: head.status, body: head.body, etag: head.headers.etag }).toEqual({
        status: 200,
        body: "",
        etag,
      });
      // A cache would take 0 for the length of the document.
      expect(head.headers["content-length"]).toBeUndefined();
      for (const known of [etag, `W/${etag}`, `"other", ${etag}`, "*"]) {
        const same = await send(site + path, { headers: { "if-none-match": known } });
        expect({ status: same.status, body: same.body, length: same.headers["content-length"] }).toEqual({
          status: 304,
          body: "",
          length: undefined,
        });
        expect(same.headers).toMatchObject({ etag, "access-control-allow-origin": "*" });
      }
      expect((await send(site + path, { headers: { "if-none-match": '"other"' } })).status).toBe(200);
      const asked = await send(site + path, { method: "OPTIONS" });
      expect(asked.status).toBe(204);
      expect(asked.headers).toMatchObject({
        "access-control-allow-methods": expect.stringContaining("GET"),
        "access-control-allow-headers": "*",
      });
      expect((await send(site + path, { method: "POST", body: "{}" })).status).toBe(405);
    }
  });

  it("agrees with server.json and server/discover; two servers are two entries of the catalog (S20)", async () => {
    const other = {
      ...entry,
      name: "io.github.acme/admin",
      remotes: [{ type: "streamable-http", url: "https://a.example/" }],
    };
    const own = { description: "Finds orders.", websiteUrl: "https://shop.example.com" };
    const site = await serve({
      "/mcp": { server: shop(own), card: serverCard(entry) },
      "/admin": {
        server: shop({ ...own, name: "admin" }),
        card: serverCard({ name: other.name, remotes: other.remotes }),
      },
      "/plain": shop(),
    });
    const { json: catalog } = await send(site + CATALOG);
    expect(catalog).toEqual({
      specVersion: "1.0",
      entries: [
        {
          identifier: "urn:air:example.com:mcp:shop",
          type: "application/mcp-server-card+json",
          url: "https://shop.example.com/mcp/server-card",
        },
        {
          identifier: "urn:air:acme.github.io:mcp:admin",
          type: "application/mcp-server-card+json",
          url: "https://a.example/server-card",
        },
      ],
    });
    const { json: card } = await send(site + CARD);
    const { json: discovered } = await postModern(`${site}/mcp`, modern("server/discover"));
    const { serverInfo, supportedVersions } = {
      serverInfo: discovered.result._meta["io.modelcontextprotocol/serverInfo"],
      ...discovered.result,
    };
    expect(card.version).toBe(serverInfo.version);
    expect(card.websiteUrl).toBe(serverInfo.websiteUrl);
    expect(card.remotes[0].supportedProtocolVersions).toEqual(expect.arrayContaining(supportedVersions));
    for (const member of ["name", "description", "version", "repository"] as const)
      expect(card[member]).toEqual(entry[member]);
    // The server describes itself where the entry does not.
    expect((await send(`${site}/admin/server-card`)).json.description).toBe("Finds orders.");
    expect((await send(`${site}/plain/server-card`)).status).toBe(404);
  });

  it("is served beside a handler, wherever a framework mounts it", async () => {
    const handle = createFetchHandler(shop(), { card: serverCard(entry) });
    const card = await handle(new Request("http://any.example/api/mcp/server-card"));
    expect(await card.json()).toMatchObject({ name: "com.example/shop" });
    const catalog = await handle(new Request(`http://any.example${CATALOG}`));
    expect(await catalog.json()).toMatchObject({ entries: [{ identifier: "urn:air:example.com:mcp:shop" }] });
    const etag = catalog.headers.get("etag") ?? "";
    const same = await handle(new Request(`http://any.example${CATALOG}`, { headers: { "if-none-match": etag } }));
    expect(same.status).toBe(304);
    await handle.close();
  });

  it("has no title if nobody gives one, also with a long name", async () => {
    const name = `com.example/${"x".repeat(150)}`;
    const { json } = await send((await serve(shop(), { card: serverCard({ ...entry, name }) })) + CARD);
    expect(json.name).toBe(name);
    expect(json).not.toHaveProperty("title");
    expect(isCard(json)).toBe(true);
  });

  it("does not exist without the option", async () => {
    const site = await serve(shop());
    for (const path of [CARD, CATALOG]) expect((await send(site + path)).status).toBe(404);
  });

  it("leaves a server at the same path alone", async () => {
    const site = await serve({ "/mcp": { server: shop(), card: serverCard(entry) }, [CARD]: shop({ name: "own" }) });
    expect((await postModern(site + CARD, modern("server/discover"))).status).toBe(200);
  });

  it("has the version of the server, and says that server.json is older", async () => {
    const entries: LogEntry[] = [];
    const server = shop({ version: "2.0.0", log: (logged) => void entries.push(logged) });
    const site = await serve(server, { card: serverCard(entry) });
    expect((await send(site + CARD)).json.version).toBe("2.0.0");
    expect(entries.map(({ message }) => message)).toEqual([
      "The server card is for version 1.2.3, but the server has 2.0.0, which the card shows",
    ]);
  });
});

const REMOTE =
  '"streamable-http" or "sse", and a url: https without a query, credentials and variables, or http of this machine.';
const at = (url: string, more: object = {}) => ({ remotes: [{ type: "streamable-http", url, ...more }] });

describe("a card that clients would refuse", () => {
  it.each<[wrong: object, message: string]>([
    [{ name: "shop" }, 'name must be a domain in reverse, a slash and a name, such as "com.example/shop", not "shop".'],
    [{ name: "com.example/a/b" }, "name must be"],
    [{ remotes: [] }, "there is no address."],
    [{ remotes: {} }, "remotes must be a list of addresses, not {}."],
    [{ remotes: [null] }, REMOTE],
    [{ remotes: [{ type: "http", url: URL_OF_SHOP }] }, REMOTE],
    [at("http://shop.example.com/mcp"), REMOTE],
    [at("https://user:key@shop.example.com/mcp"), REMOTE],
    [at("https://shop.example.com/mcp?key=1"), REMOTE],
    [at("https://{tenant}.example.com/mcp"), REMOTE],
    [
      at(URL_OF_SHOP, { headers: [{ name: "X-Key", isSecret: true, value: "sk-1" }] }),
      "X-Key is a secret, but it has a value.",
    ],
    [
      at(URL_OF_SHOP, { variables: { key: { isSecret: true, default: "sk-1" } } }),
      "a variable is a secret, but it has a value.",
    ],
    [{ websiteUrl: "javascript:alert(1)" }, '"javascript:alert(1)" is not an http URL.'],
  ])("%j", (wrong, message) => {
    expect(() => serverCard({ ...entry, ...wrong } as ServerCardOptions)).toThrow(message);
  });

  it("is refused when the server lacks a description, or its text is too long", () => {
    const { description: _none, ...undescribed } = entry;
    const handler = (given: ServerCardOptions, options = {}) =>
      createNodeHandler(shop(options), { card: serverCard(given) });
    expect(() => handler(undescribed)).toThrow(
      'serverCard(): description must be a text of 1 to 100 characters, not "".',
    );
    expect(() => handler(undescribed, { description: "x".repeat(101) })).toThrow("1 to 100 characters");
    expect(() => handler({ ...entry, title: "x".repeat(101) })).toThrow("title must be");
  });

  it("is refused for two servers, which would both claim its address", async () => {
    await expect(serve({ "/a": shop(), "/b": shop() }, { card: serverCard(entry) })).rejects.toThrow(
      "serverCard(): the card is given to two servers. Give each server its own card, beside it: { server, card }.",
    );
  });

  it("is refused if its file cannot be read", () => {
    expect(() => serverCard("none/server.json")).toThrow("serverCard(): none/server.json cannot be read: ENOENT");
  });
});
