import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

interface Request {
  readonly id?: number;
  readonly method: string;
  readonly params: { readonly [key: string]: unknown };
}

/** A hostile HTTP server: `respond` writes anything. */
export interface HostileHttp {
  readonly url: string;
  /** The messages that reached the server. */
  readonly received: Request[];
  close(): void;
}

export async function startHostileHttp(
  respond: (message: Request, response: ServerResponse, request: IncomingMessage) => void,
): Promise<HostileHttp> {
  const received: Request[] = [];
  const server = createServer(async (request, response) => {
    let body = "";
    for await (const chunk of request.setEncoding("utf8")) body += chunk;
    if (body === "") {
      response.end();
      return;
    }
    const message: Request = JSON.parse(body);
    received.push(message);
    if (message.method === "server/discover")
      sendResult(message, response, { capabilities: { tools: {}, prompts: {} } });
    else respond(message, response, request);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`,
    received,
    close() {
      server.close();
      server.closeAllConnections();
    },
  };
}

export function sendJson(response: ServerResponse, value: unknown): void {
  response.setHeader("content-type", "application/json").end(JSON.stringify(value));
}

export function sendResult({ id }: Request, response: ServerResponse, result: unknown): void {
  sendJson(response, { jsonrpc: "2.0", id, result });
}
