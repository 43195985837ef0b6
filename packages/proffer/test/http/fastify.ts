import fastify from "fastify";
import type { Server } from "proffer";
import { createNodeHandler } from "proffer/http";

/** Serves at /mcp inside fastify, which parses the body and keeps it in its own request. */
export async function serveInFastify(server: Server): Promise<{ url: string; close: () => Promise<void> }> {
  const app = fastify();
  const handle = createNodeHandler(server);
  app.all("/mcp", (request, reply) => {
    reply.hijack();
    handle(request.raw, reply.raw, request.body);
  });
  const origin = await app.listen({ port: 0, host: "127.0.0.1" });
  return { url: `${origin}/mcp`, close: () => app.close() };
}
