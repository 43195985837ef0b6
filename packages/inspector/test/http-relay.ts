import { once } from "node:events";
import { createServer, type IncomingMessage, request, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

/** A relay between a client and a server over HTTP that keeps the messages of both directions. */
export interface HttpRelay {
  readonly url: string;
  /** The exact texts, as `out …` and `in …`: also the bodies of responses that are no messages. */
  logged(): string[];
  /** The number of event streams so far. */
  opened(): number;
  /** Cuts all connections off, as a proxy does after a while. */
  cut(): void;
  close(): void;
}

interface Reply {
  readonly method: string | undefined;
  readonly status: number | undefined;
  readonly type: string;
  readonly chunks: Buffer[];
}

/** Starts a relay to the server at a URL. */
export async function startRelay(to: string): Promise<HttpRelay> {
  const target = new URL(to);
  const sent: Buffer[] = [];
  const replies: Reply[] = [];
  async function relay(incoming: IncomingMessage, response: ServerResponse): Promise<void> {
    const { method, url, headers } = incoming;
    const parts: Buffer[] = [];
    for await (const chunk of incoming) parts.push(chunk);
    const body = Buffer.concat(parts);
    if (method === "POST") sent.push(body);
    const options = { host: target.hostname, port: target.port, path: url, method };
    const passed = request({ ...options, headers: { ...headers, host: target.host } }, (answer) => {
      const type = answer.headers["content-type"] ?? "";
      const reply: Reply = { method, status: answer.statusCode, type, chunks: [] };
      replies.push(reply);
      response.writeHead(answer.statusCode ?? 500, answer.headers).flushHeaders();
      answer.on("data", (chunk: Buffer) => reply.chunks.push(chunk));
      answer.on("error", () => response.destroy());
      answer.pipe(response);
    });
    passed.on("error", () => response.destroy());
    response.on("close", () => passed.destroy());
    passed.end(body);
  }
  const server = createServer((incoming, response) => void relay(incoming, response)).listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}${target.pathname}`,
    logged: () => [...sent.map((body) => `out ${body}`), ...replies.flatMap(textsOf).map((text) => `in ${text}`)],
    opened: () => replies.filter(({ type }) => type.startsWith("text/event-stream")).length,
    cut: () => server.closeAllConnections(),
    close() {
      server.close();
      server.closeAllConnections();
    },
  };
}

function textsOf({ method, status, type, chunks }: Reply): string[] {
  const text = Buffer.concat(chunks).toString();
  if (type.startsWith("text/event-stream")) {
    const events = text.split("\n\n").slice(0, -1);
    return events.filter((event) => !/^event: (?!message$)/m.test(event)).flatMap(dataOf);
  }
  return method === "POST" && status !== 202 ? [text] : [];
}

function dataOf(event: string): string[] {
  const lines = event.split("\n").filter((line) => line.startsWith("data:"));
  const data = lines.map((line) => line.slice("data: ".length)).join("\n");
  return data === "" ? [] : [data];
}
