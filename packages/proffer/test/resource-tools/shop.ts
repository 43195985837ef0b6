import { defineResource, defineServer, param, type Server, type ServerOptions } from "proffer";
import { type ConnectOptions, connect } from "proffer/testing";

export const REVISIONS = ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25", "2026-07-28"];

const PNG = new Uint8Array([137, 80, 78, 71]);

export const terms = defineResource({
  uri: "shop://terms",
  name: "Terms",
  description: "What customers agree to.\nIn full.",
  content: "# Terms",
});

export const order = defineResource({
  uri: "orders://{id}{?limit,sort,tag*}",
  name: "order",
  title: "Order",
  description: "One order.",
  mimeType: "application/json",
  params: {
    id: param.pattern(/\d+/),
    limit: param.integer({ default: 100, max: 1000 }),
    sort: param.oneOf("up", "down"),
    tag: param.charset("a-z"),
  },
  list: ({ after }) =>
    ["1", "2", "3"]
      .filter((id) => after === undefined || `orders://${id}` > after)
      .map((id) => ({ uri: `orders://${id}` })),
  read: (params) => (params.id === "404" ? undefined : params),
});

const logo = defineResource({ uri: "shop://{part}.png", name: "logo", mimeType: "image/png", read: () => PNG });

/** A server with two resources of each kind and no tools. */
export function openShop(options: Partial<ServerOptions> = {}): Server {
  return defineServer({ name: "shop", version: "1.0.0", resources: [terms, order, logo], ...options });
}

/** Connects a client with this name. Zed's model cannot read resources, and ChatGPT's cannot either, but sees links. */
export function as(server: Server, name: string, options: ConnectOptions = {}) {
  return connect(server, { revision: "2025-06-18", info: { name, version: "1" }, ...options });
}

export async function namesOf(server: Server, client: string, options: ConnectOptions = {}): Promise<string[]> {
  const connected = await as(server, client, options);
  try {
    return (await connected.listTools().catch(() => [])).map(({ name }) => name);
  } finally {
    await connected.close();
  }
}
