import { createHash, randomBytes, timingSafeEqual } from "node:crypto";
import { once } from "node:events";
import { readFile } from "node:fs/promises";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { createRequire } from "node:module";
import type { AddressInfo } from "node:net";
import { dirname, join } from "node:path";
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
  // The port may belong to another version of the page tomorrow, and the API returns messages of a server.
  "cache-control": "no-store",
};

/** The functions that the HTTP server passes requests to. */
interface PageApi {
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
  const guard = createGuard(bound, secret);
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

/** The names of this machine that the page may be opened with. */
const NAMES = ["127.0.0.1", "localhost", "[::1]"];
/** A page of another site, also one of another port of this machine, sends one of the other values. */
const OWN_SITES = new Set(["same-origin", "none"]);

/**
 * Refuses requests that do not come from the inspector's page. Any web page can make a browser send requests to this
 * machine; with a name that resolves to it (DNS rebinding) it could read the responses. `Host`, `Origin` and
 * `Sec-Fetch-Site` reveal the first, the exact `Host` ends the second.
 */
function createGuard(port: number, secret: string) {
  const hosts = new Set(NAMES.map((name) => `${name}:${port}`));
  const digest = digestOf(secret);
  return {
    /** Checks a request for any path. @throws {ApiProblem} */
    checkSource({ headersDistinct }: IncomingMessage): void {
      const [host = "", ...otherHosts] = headersDistinct.host ?? [];
      if (otherHosts.length > 0 || !hosts.has(host)) throw foreign("Host");
      const { origin = [], "sec-fetch-site": sites = [] } = headersDistinct;
      if (origin.some((each) => each !== `http://${host}`)) throw foreign("Origin");
      if (sites.some((site) => !OWN_SITES.has(site))) throw foreign("Sec-Fetch-Site");
    },
    /** Checks a request for the API, before its body is read. @throws {ApiProblem} */
    checkSecret({ headers }: IncomingMessage): void {
      const [, given] = /^Bearer ([\w-]{1,100})$/i.exec(headers.authorization ?? "") ?? [];
      // Digests have one length, so that neither the time nor an exception reveals anything about the secret.
      if (given !== undefined && timingSafeEqual(digestOf(given), digest)) return;
      throw new ApiProblem(
        401,
        "wrong_secret",
        "This page is of an earlier start of the inspector.",
        "Open the address that the command printed, or press o in its terminal.",
      );
    },
  };
}

function foreign(header: string): ApiProblem {
  const message = `The header ${header} is not that of the inspector's own page.`;
  return new ApiProblem(403, "foreign_page", message, "Open the address that the command printed.");
}

function digestOf(text: string): Buffer {
  return createHash("sha256").update(text).digest();
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

type Guard = ReturnType<typeof createGuard>;

async function respond(guard: Guard, api: PageApi, request: IncomingMessage, response: ServerResponse): Promise<void> {
  guard.checkSource(request);
  const { method = "", url = "" } = request;
  const [path = ""] = url.split("?");
  if (!path.startsWith(API)) {
    await sendFile(method, path, request, response);
    return;
  }
  if (method !== "POST") throw wrongMethod(response, "POST");
  guard.checkSecret(request);
  const input = await readBody(request, response);
  const name = path.slice(API.length);
  if (name === EVENTS) api.stream(response);
  else sendJson(response, 200, await api.respond(name, input));
}

async function sendFile(method: string, path: string, request: IncomingMessage, response: ServerResponse) {
  if (method !== "GET" && method !== "HEAD") throw wrongMethod(response, "GET, HEAD");
  const known = Object.hasOwn(FILES, path) ? path : ADDRESS.test(path) ? "/" : undefined;
  const file = known === undefined ? undefined : FILES[known];
  if (file === undefined) throw new ApiProblem(404, "not_found", "There is no page at this address.");
  const { encoding, content } = await readPageFile(file.name, String(request.headers["accept-encoding"] ?? ""));
  response.setHeader("content-type", content === undefined ? "text/plain; charset=utf-8" : file.type);
  response.setHeader("vary", "accept-encoding");
  if (encoding !== undefined) response.setHeader("content-encoding", encoding);
  const body = content ?? NOT_BUILT;
  response.setHeader("content-length", body.length);
  response.end(method === "HEAD" ? undefined : body);
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
  const message = error instanceof Error ? error.message : String(error);
  const problem = error instanceof ApiProblem ? error : new ApiProblem(500, "failed", message);
  if (!response.req.complete) {
    response.setHeader("connection", "close");
    response.on("finish", () => response.req.destroy());
  }
  sendJson(response, problem.status, problem.body);
}

const MAX_BYTES = 4 * 1024 * 1024;

/** Reads the JSON body of a request whose sender is known. @throws {ApiProblem} if it is too large or not JSON. */
async function readBody(request: IncomingMessage, response: ServerResponse): Promise<unknown> {
  const { "content-type": type = "", "content-length": length = "0" } = request.headers;
  if (!/^application\/json *(;|$)/i.test(type) || request.headers["content-encoding"] !== undefined) {
    throw new ApiProblem(415, "bad_request", "The body must have the content type application/json.");
  }
  if (Number(length) > MAX_BYTES) throw tooLarge();
  if (request.headers.expect !== undefined) response.writeContinue();
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes > MAX_BYTES) throw tooLarge();
    chunks.push(chunk);
  }
  try {
    return JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(Buffer.concat(chunks)));
  } catch (error) {
    throw new ApiProblem(400, "bad_request", `The body is not valid JSON: ${(error as Error).message}`);
  }
}

function tooLarge(): ApiProblem {
  return new ApiProblem(413, "too_large", `The body has more than ${MAX_BYTES / 1024 / 1024} MiB.`);
}

/** The files of the page, by path. The page finds its own way from any of its addresses. */
const FILES: { readonly [path: string]: { readonly name: string; readonly type: string } } = {
  "/": { name: "index.html", type: "text/html; charset=utf-8" },
  "/page.js": { name: "page.js", type: "text/javascript; charset=utf-8" },
  "/page.css": { name: "page.css", type: "text/css; charset=utf-8" },
};
/** The addresses within the page, such as /tools/order. */
const ADDRESS = /^\/(?:tools|prompts|resources|templates|wire|history|clients)(?:\/.*)?$/;
const ENCODINGS = [
  ["br", ".br"],
  ["gzip", ".gz"],
] as const;

const NOT_BUILT = Buffer.from("The page of the inspector is not built. In a clone, run: node scripts/build.mjs\n");

/** Returns a file of the page as it was compressed when it was built; without content if it was not built. */
async function readPageFile(name: string, accepted: string) {
  for (const [encoding, ending] of ENCODINGS) {
    if (!new RegExp(`\\b${encoding}\\b(?! *; *q=0(?:\\.0*)?(?:,|$))`, "i").test(accepted)) continue;
    const content = await read(name + ending);
    if (content !== undefined) return { encoding, content };
  }
  return { content: await read(name) };
}

function read(name: string): Promise<Buffer | undefined> {
  // The root of this package has other depths below it in the sources and in a build.
  const root = dirname(createRequire(import.meta.url).resolve("@proffer/inspector/package.json"));
  return readFile(join(root, "dist/page", name)).catch(() => undefined);
}
