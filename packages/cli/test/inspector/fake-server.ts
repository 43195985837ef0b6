import { readFileSync } from "node:fs";
import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { distFile } from "../../../proffer/test/dist.ts";
import type { Api } from "../../src/inspector/protocol/api.ts";
import type { InspectorEvent } from "../../src/inspector/protocol/event.ts";

const SECRET = "c2VjcmV0LW9mLXRoaXMtc3RhcnQ";

const POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; media-src blob:; " +
  "connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; " +
  "require-trusted-types-for 'script'; trusted-types 'none'";

const TYPES: { readonly [name: string]: string } = {
  "index.html": "text/html; charset=utf-8",
  "page.js": "text/javascript; charset=utf-8",
  "page.css": "text/css; charset=utf-8",
};

export type Handlers = {
  -readonly [Name in keyof Api]?: (body: Api[Name]["in"]) => Api[Name]["out"] | Promise<Api[Name]["out"]>;
};

export interface FakeServer {
  readonly origin: string;
  /** The address with the secret. */
  readonly url: string;
  /** The address of a part of the page, with the secret. */
  at(path: string): string;
  /** What a new stream begins with; a test may change it. */
  known: InspectorEvent[];
  readonly handlers: Handlers;
  /** The names and bodies of the requests so far. */
  readonly requests: { readonly name: string; readonly body: unknown }[];
  emit(...events: InspectorEvent[]): void;
  /** Ends all streams, as if the process had ended. */
  interrupt(): void;
  close(): Promise<void>;
}

/** Serves the built page, and speaks the inspector's protocol with events and answers that a test chooses. */
export async function startFakeServer(known: InspectorEvent[], handlers: Handlers = {}): Promise<FakeServer> {
  const streams = new Set<ServerResponse>();
  const requests: { name: string; body: unknown }[] = [];
  const server = createServer(async (request, response) => {
    const path = new URL(request.url ?? "", "http://page").pathname;
    response.setHeader("content-security-policy", POLICY);
    response.setHeader("referrer-policy", "no-referrer");
    if (request.method === "GET") return sendFile(path, response);
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    if (request.headers.authorization !== `Bearer ${SECRET}`) return refuse(response, 401, "wrong_secret");
    const name = path.slice("/api/".length);
    const body = JSON.parse(Buffer.concat(chunks).toString());
    requests.push({ name, body });
    if (name === "events") {
      streams.add(response);
      response.once("close", () => streams.delete(response));
      response.write(fake.known.map(toLine).join(""));
      return;
    }
    const handler = handlers[name as keyof Api] as ((body: unknown) => unknown) | undefined;
    if (handler === undefined) return refuse(response, 404, `There is no ${name} here.`);
    try {
      response.setHeader("content-type", "application/json");
      response.end(JSON.stringify(await handler(body)));
    } catch (error) {
      refuse(response, 400, (error as Error).message);
    }
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const fake: FakeServer = {
    origin,
    url: `${origin}/#k=${SECRET}`,
    at: (path) => `${origin}${path}#k=${SECRET}`,
    known,
    handlers,
    requests,
    emit(...events) {
      for (const stream of streams) stream.write(events.map(toLine).join(""));
    },
    interrupt() {
      for (const stream of streams) stream.destroy();
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
  return fake;
}

function sendFile(path: string, response: ServerResponse): void {
  const name = path.slice(1) in TYPES ? path.slice(1) : "index.html";
  response.setHeader("content-type", TYPES[name] as string);
  response.end(readFileSync(distFile(`inspector/${name}`, "cli")));
}

function refuse(response: ServerResponse, status: number, message: string): void {
  response.writeHead(status, { "content-type": "application/json" });
  response.end(JSON.stringify({ error: { code: message, message } }));
}

function toLine(event: InspectorEvent): string {
  return `${JSON.stringify(event)}\n`;
}
