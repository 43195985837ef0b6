import http, { type IncomingHttpHeaders, type IncomingMessage } from "node:http";
import net from "node:net";

/** A whole answer. */
export interface Answer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
  /** The body as JSON; undefined if it is none. */
  // biome-ignore lint/suspicious/noExplicitAny: tests look into answers of every shape
  readonly json: any;
}

export type Headers = { readonly [name: string]: string | readonly string[] | undefined };

export const MODERN = "2026-07-28";
export const LEGACY = "2025-11-25";

const JSON_REQUEST = { "content-type": "application/json", accept: "application/json, text/event-stream" };

/** A request that describes itself, with the capabilities of the client. */
export function modern(method: string, params: object = {}, capabilities: object = {}, id: unknown = 1) {
  const _meta = {
    "io.modelcontextprotocol/protocolVersion": MODERN,
    "io.modelcontextprotocol/clientInfo": { name: "test", version: "1" },
    "io.modelcontextprotocol/clientCapabilities": capabilities,
    ...(params as { _meta?: object })._meta,
  };
  return { jsonrpc: "2.0", id, method, params: { ...params, _meta } };
}

/** A request of an older revision. */
export function legacy(method: string, params?: object, id: unknown = 1) {
  return { jsonrpc: "2.0", id, method, ...(params === undefined ? {} : { params }) };
}

/** The headers that a client of the newest revision sends with a message. */
export function modernHeaders(message: { method: string; params?: object }): Headers {
  const { name, uri } = (message.params ?? {}) as { name?: string; uri?: string };
  const subject = name ?? uri;
  return {
    ...JSON_REQUEST,
    "mcp-protocol-version": MODERN,
    "mcp-method": message.method,
    ...(subject === undefined ? {} : { "mcp-name": subject }),
  };
}

/** Sends one request and reads the whole answer. */
export function send(url: string, options: { method?: string; headers?: Headers; body?: string | Buffer } = {}) {
  return new Promise<Answer>((resolve, reject) => {
    const { method = "GET", headers = {}, body } = options;
    const request = http.request(url, { method, headers: present(headers) }, (response) => {
      const chunks: Buffer[] = [];
      response.on("data", (chunk: Buffer) => chunks.push(chunk));
      response.on("error", reject);
      response.on("end", () => resolve(toAnswer(response, Buffer.concat(chunks).toString())));
    });
    request.on("error", reject);
    request.end(body);
  });
}

/** POSTs a message as JSON. */
export function post(url: string, message: unknown, headers: Headers = {}): Promise<Answer> {
  const body = typeof message === "string" ? message : JSON.stringify(message);
  return send(url, { method: "POST", headers: { ...JSON_REQUEST, ...headers }, body });
}

/** POSTs a message with the headers that the newest revision wants. */
export function postModern(url: string, message: ReturnType<typeof modern>, headers: Headers = {}): Promise<Answer> {
  return post(url, message, { ...modernHeaders(message), ...headers });
}

/** Opens a session and gives the headers of its requests. */
export async function openSession(url: string, version = LEGACY, headers: Headers = {}, capabilities: object = {}) {
  const params = { protocolVersion: version, capabilities, clientInfo: { name: "test", version: "1" } };
  const answer = await post(url, legacy("initialize", params), headers);
  const id = answer.headers["mcp-session-id"];
  if (typeof id !== "string") throw new Error(`no session: ${answer.status} ${answer.body}`);
  const session: Headers = { ...headers, "mcp-session-id": id, "mcp-protocol-version": version };
  await post(url, { jsonrpc: "2.0", method: "notifications/initialized" }, session);
  return session;
}

/** Sends bytes as they are and gives all that comes back until the connection ends. */
export function sendRaw(port: number, ...chunks: readonly (string | Buffer)[]): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = net.connect(port, "127.0.0.1", () => {
      for (const chunk of chunks) socket.write(chunk);
    });
    let text = "";
    socket.on("data", (chunk) => {
      text += chunk.toString("latin1");
    });
    socket.on("error", (error: NodeJS.ErrnoException) => (error.code === "ECONNRESET" ? resolve(text) : reject(error)));
    socket.on("close", () => resolve(text));
  });
}

/** Node refuses a header without a value; in a test it means that the header is missing. */
export function present(headers: Headers): http.OutgoingHttpHeaders {
  return Object.fromEntries(Object.entries(headers).filter(([, value]) => value !== undefined)) as never;
}

function toAnswer(response: IncomingMessage, body: string): Answer {
  let json: unknown;
  try {
    json = JSON.parse(body);
  } catch {}
  return { status: response.statusCode ?? 0, headers: response.headers, body, json };
}
