import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Client as Client2, StreamableHTTPClientTransport as Http2 } from "@modelcontextprotocol/client";
import { Client as Client1 } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport as Http1 } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { ElicitRequestSchema } from "@modelcontextprotocol/sdk/types.js";
import { serveHttp } from "proffer/http";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { servePartner } from "./partner.ts";

const INFO = { name: "test", version: "1" };
const ASKED = { action: "accept" as const, content: { city: "Berlin" } };

let folder: string;
let url: URL;
const closers: (() => unknown)[] = [];

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "proffer-company-"));
  const partner = await servePartner();
  Object.assign(process.env, { PARTNER_URL: partner.url, NOTES_FILE: join(folder, "notes.jsonl") });
  const { default: server } = await import("./server.ts");
  const served = await serveHttp(server, { port: 0 });
  url = new URL(served.url);
  closers.push(
    () => partner.server.closeAllConnections(),
    () => partner.server.close(),
    served.close,
  );
});
afterAll(async () => {
  for (const close of closers.reverse()) await close();
  await rm(folder, { recursive: true });
});

type Tourist = Pick<Client1, "listTools" | "readResource" | "callTool" | "close">;

/** The official clients: of the older revisions, and of the newest. */
const CLIENTS: { readonly [name: string]: () => Promise<Tourist> } = {
  async "1.x"() {
    const client = new Client1(INFO, { capabilities: { elicitation: {} } });
    client.setRequestHandler(ElicitRequestSchema, () => ASKED);
    await client.connect(new Http1(url) as never);
    return client;
  },
  async "2.x"() {
    const client = new Client2(INFO, {
      capabilities: { elicitation: { form: {} } },
      versionNegotiation: { mode: "auto" },
    });
    client.setRequestHandler("elicitation/create", () => ASKED);
    await client.connect(new Http2(url));
    return client as never;
  },
};

describe.each(Object.entries(CLIENTS))("the official client %s", (_, connect) => {
  it("sees one server, and is asked by the partner", async () => {
    const client = await connect();
    const { tools } = await client.listTools();
    expect(tools.map(({ name }) => name)).toEqual([
      ...["orders_list", "notes_create_entities", "notes_read_graph", "notes_search_nodes", "partner_ship"],
    ]);
    expect(await client.callTool({ name: "orders_list" })).toMatchObject({
      structuredContent: { orders: [{ id: "7" }, {}] },
    });
    expect(await client.readResource({ uri: "orders://7" })).toMatchObject({ contents: [{ uri: "orders://7" }] });
    const entities = [{ name: "Ada", entityType: "customer", observations: ["prefers owls"] }];
    await client.callTool({ name: "notes_create_entities", arguments: { entities } });
    expect(
      JSON.stringify(await client.callTool({ name: "notes_search_nodes", arguments: { query: "owls" } })),
    ).toContain("Ada");
    expect(await client.callTool({ name: "partner_ship" })).toMatchObject({
      content: [{ text: "Shipped to Berlin." }],
    });
    await client.close();
  });
});
