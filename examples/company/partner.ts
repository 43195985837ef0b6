import { randomUUID } from "node:crypto";
import { createServer, type IncomingMessage, type Server } from "node:http";
import { json } from "node:stream/consumers";
import { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js";
import { StreamableHTTPServerTransport } from "@modelcontextprotocol/sdk/server/streamableHttp.js";
import { isInitializeRequest } from "@modelcontextprotocol/sdk/types.js";

/** The server of a partner company, with the official SDK: revision 2025-11-25, which asks in the middle of a call. */
function createPartner(): McpServer {
  const server = new McpServer({ name: "partner", version: "3.1.0" });
  server.registerTool("ship", { description: "Ships a parcel." }, async () => {
    const answer = await server.server.elicitInput({
      message: "To which city?",
      requestedSchema: { type: "object", properties: { city: { type: "string" } }, required: ["city"] },
    });
    const text = answer.action === "accept" ? `Shipped to ${answer.content?.city}.` : "Nothing was shipped.";
    return { content: [{ type: "text", text }] };
  });
  return server;
}

/** Serves it at a free port of this machine. */
export async function servePartner(): Promise<{ readonly url: string; readonly server: Server }> {
  const sessions = new Map<string, StreamableHTTPServerTransport>();
  const transportFor = async (request: IncomingMessage, body: unknown) => {
    const known = sessions.get(String(request.headers["mcp-session-id"]));
    if (known !== undefined || !isInitializeRequest(body)) return known;
    const transport = new StreamableHTTPServerTransport({
      sessionIdGenerator: randomUUID,
      onsessioninitialized: (id) => void sessions.set(id, transport),
    });
    await createPartner().connect(transport as never);
    return transport;
  };
  const server = createServer(async (request, response) => {
    const body = request.method === "POST" ? await json(request) : undefined;
    const transport = await transportFor(request, body);
    if (transport === undefined) response.writeHead(400).end();
    else await transport.handleRequest(request, response, body);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return { url: `http://127.0.0.1:${(server.address() as { port: number }).port}/mcp`, server };
}
