import http from "node:http";
import type { AddressInfo } from "node:net";
import type { Server } from "proffer";
import { createNodeHandler } from "proffer/http";
import { oauth } from "proffer/oauth";

/** A protected server at a URL that clients can use. */
export interface Site {
  readonly url: string;
  close(): Promise<void>;
}

/** Serves a server at `/mcp`. It listens first, because its metadata must contain the port. */
export async function openSite(server: Server, issuer: string, scopes: readonly string[]): Promise<Site> {
  const site = http.createServer();
  await new Promise<void>((resolve) => site.listen(0, "127.0.0.1", resolve));
  const url = `http://127.0.0.1:${(site.address() as AddressInfo).port}/mcp`;
  const handler = createNodeHandler(server, { authenticate: oauth({ issuer, resource: url, scopes }) });
  site.on("request", handler);
  return {
    url,
    async close() {
      await handler.close(100);
      site.close().closeAllConnections();
    },
  };
}
