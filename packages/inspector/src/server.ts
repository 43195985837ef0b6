import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { Guard } from "./guard.ts";
import { readPageFile } from "./page-files.ts";
import { readBody } from "./request-body.ts";
import { ApiProblem } from "./support/api-problem.ts";

/** Where nothing else that developers run listens by default. */
export const DEFAULT_PORT = 6280;
/** The number of ports that are tried, one after the other. */
const TRIED_PORTS = 20;
/** Only the inspector's page and programs of this machine connect. */
const MAX_CONNECTIONS = 256;
const API = "/api/";
const EVENTS = "events";

const HEADERS: { readonly [name: string]: string } = {
  "content-security-policy":
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; media-src blob:; " +
    "connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; " +
    "require-trusted-types-for 'script'; trusted-types 'none'",
  "x-content-type-options": "nosniff",
  "referrer-policy": "no-referrer",
  "cross-origin-opener-policy": "same-origin",
  "cross-origin-resource-policy": "same-origin",
  // The port may belong to another version of the page tomorrow, and the API returns what a server said.
  "cache-control": "no-store",
};

/** What the HTTP server passes requests to. */
export interface PageApi {
  /** Answers a request. @throws {ApiProblem} */
  respond(name: string, input: unknown): Promise<object>;
  /** Opens a stream of events. @throws {ApiProblem} */
  stream(response: ServerResponse): void;
}

export interface InspectorServer {
  readonly port: number;
  /** The address of the page, with the secret in the fragment: browsers send it to nobody. */
  readonly url: string;
  close(): Promise<void>;
}

/**
 * Serves the page and its API on 127.0.0.1 only, with a new secret.
 * @param port - the first port to try. If it is taken, the next free one is used.
 */
export async function startServer(api: PageApi, port = DEFAULT_PORT): Promise<InspectorServer> {
  const server = createServer({ requestTimeout: 30_000, headersTimeout: 10_000 });
  server.maxConnections = MAX_CONNECTIONS;
  const bound = await listen(server, port);
  const secret = randomBytes(16).toString("base64url");
  const guard = new Guard(bound, secret);
  const answer = (request: IncomingMessage, response: ServerResponse) => {
    for (const [name, value] of Object.entries(HEADERS)) response.setHeader(name, value);
    respond(guard, api, request, response).catch((error) => refuse(response, error));
  };
  server.on("request", answer);
  // The body of a request with `Expect: 100-continue` is not asked for before the secret was compared.
  server.on("checkContinue", answer);
  return {
    port: bound,
    url: `http://127.0.0.1:${bound}/#k=${secret}`,
    async close() {
      server.close();
      server.closeAllConnections();
      await once(server, "close");
    },
  };
}

async function listen(server: Server, first: number): Promise<number> {
  for (let port = first; ; port++) {
    try {
      // 0 lets the system choose; also if all others are taken.
      server.listen(first === 0 || port >= first + TRIED_PORTS || port > 65_535 ? 0 : port, "127.0.0.1");
      await once(server, "listening");
      return (server.address() as AddressInfo).port;
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      if (code !== "EADDRINUSE" && code !== "EACCES") throw error;
    }
  }
}

async function respond(guard: Guard, api: PageApi, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const refusal = guard.checkSource(request);
  if (refusal !== undefined) throw refusal;
  const { method = "", url = "" } = request;
  const [path = ""] = url.split("?");
  if (!path.startsWith(API)) {
    await sendFile(method, path, request, response);
    return;
  }
  if (method !== "POST") throw wrongMethod(response, "POST");
  const stranger = guard.checkSecret(request);
  if (stranger !== undefined) throw stranger;
  const input = await readBody(request, response);
  const name = path.slice(API.length);
  if (name === EVENTS) api.stream(response);
  else sendJson(response, 200, await api.respond(name, input));
}

async function sendFile(method: string, path: string, request: IncomingMessage, response: ServerResponse) {
  if (method !== "GET" && method !== "HEAD") throw wrongMethod(response, "GET, HEAD");
  const file = await readPageFile(path, String(request.headers["accept-encoding"] ?? ""));
  if (file === undefined) throw new ApiProblem(404, "not_found", "There is no page at this address.");
  response.setHeader("content-type", file.type);
  response.setHeader("vary", "accept-encoding");
  if (file.encoding !== undefined) response.setHeader("content-encoding", file.encoding);
  response.setHeader("content-length", file.content.length);
  response.end(method === "HEAD" ? undefined : file.content);
}

function wrongMethod(response: ServerResponse, allowed: string): ApiProblem {
  response.setHeader("allow", allowed);
  return new ApiProblem(405, "wrong_method", `Only ${allowed} is allowed here.`);
}

function sendJson(response: ServerResponse, status: number, value: object): void {
  if (response.destroyed) return;
  response.writeHead(status, { "content-type": "application/json; charset=utf-8" });
  response.end(JSON.stringify(value));
}

/** The rest of the request is never read: the connection ends with the response. */
function refuse(response: ServerResponse, error: unknown): void {
  if (response.headersSent || response.destroyed) {
    response.destroy();
    return;
  }
  const problem = toProblem(error);
  if (!response.req.complete) {
    response.setHeader("connection", "close");
    response.on("finish", () => response.req.destroy());
  }
  sendJson(response, problem.status, problem.body);
}

function toProblem(error: unknown): ApiProblem {
  if (error instanceof ApiProblem) return error;
  return new ApiProblem(500, "failed", error instanceof Error ? error.message : String(error));
}
