import http, { type IncomingHttpHeaders, type IncomingMessage } from "node:http";
import net from "node:net";

/** A complete response. */
export interface Answer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
  /** The parsed body; undefined if it is not JSON. */
  // biome-ignore lint/suspicious/noExplicitAny: tests inspect responses of every shape
  readonly json: any;
}

export type Headers = { readonly [name: string]: string | readonly string[] | undefined };

export const MODERN = "2026-07-28";
export const LEGACY = "2025-11-25";

const VERSION_KEY = "io.modelcontextprotocol/protocolVersion";
export const JSON_REQUEST = { "content-type": "application/json", accept: "application/json, text/event-stream" };

/** The parameter that is repeated in the `Mcp-Name` header, by method. */
const NAMED_BY: { readonly [method: string]: string } = {
  "tools/call": "name",
  "prompts/get": "name",
  "resources/read": "uri",
  "tasks/get": "taskId",
  "tasks/update": "taskId",
  "tasks/cancel": "taskId",
};

/** Returns a request of the newest revision, which carries the client's capabilities. */
export function modern(method: string, params: object = {}, capabilities: object = {}, id: unknown = 1) {
  const _meta = {
    [VERSION_KEY]: MODERN,
    "io.modelcontextprotocol/clientInfo": { name: "test", version: "1" },
    "io.modelcontextprotocol/clientCapabilities": capabilities,
    ...(params as { _meta?: object })._meta,
  };
  return { jsonrpc: "2.0", id, method, params: { ...params, _meta } };
}

/** Returns a request of an older revision. */
export function legacy(method: string, params?: object, id: unknown = 1) {
  return { jsonrpc: "2.0", id, method, ...(params === undefined ? {} : { params }) };
}

/** Returns the headers that the newest revision requires for a message. */
export function modernHeaders(message: { method: string; params?: object }): Headers {
  const params = (message.params ?? {}) as { readonly [key: string]: unknown };
  const name = params[NAMED_BY[message.method] ?? ""];
  return {
    ...JSON_REQUEST,
    "mcp-protocol-version": MODERN,
    "mcp-method": message.method,
    ...(typeof name === "string" && { "mcp-name": encodeHeader(name) }),
  };
}

/** Encodes a value as the protocol requires: a header may contain visible ASCII only. */
function encodeHeader(value: string): string {
  if (/^[\x21-\x7e]([\x20-\x7e]*[\x21-\x7e])?$/.test(value) && !value.startsWith("=?base64?")) return value;
  return `=?base64?${Buffer.from(value).toString("base64")}?=`;
}

/** One HTTP request. */
export interface Sent {
  readonly method?: string;
  readonly headers?: Headers;
  readonly body?: string | Buffer | undefined;
  readonly signal?: AbortSignal;
}

/** Sends one request; resolves with the response as soon as its headers have arrived. */
export function request(url: string, { method = "GET", headers = {}, body, signal }: Sent): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    const sent = http.request(url, { method, headers: present(headers), ...(signal && { signal }) }, resolve);
    sent.on("error", reject);
    sent.end(body);
  });
}

/** Reads the whole body of a response. */
export async function readBody(response: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of response) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString();
}

/** Sends one request and reads the whole response. */
export async function send(url: string, sent: Sent = {}): Promise<Answer> {
  const response = await request(url, sent);
  return toAnswer(response, await readBody(response));
}

/** POSTs a message as JSON. */
export function post(url: string, message: unknown, headers: Headers = {}): Promise<Answer> {
  const body = typeof message === "string" ? message : JSON.stringify(message);
  return send(url, { method: "POST", headers: { ...JSON_REQUEST, ...headers }, body });
}

/** POSTs a message with the headers that the newest revision requires. */
export function postModern(url: string, message: ReturnType<typeof modern>, headers: Headers = {}): Promise<Answer> {
  return post(url, message, { ...modernHeaders(message), ...headers });
}

/** Opens a session; returns the headers that its requests must have. */
export async function openSession(url: string, version = LEGACY, headers: Headers = {}, capabilities: object = {}) {
  const params = { protocolVersion: version, capabilities, clientInfo: { name: "test", version: "1" } };
  const answer = await post(url, legacy("initialize", params), headers);
  const id = answer.headers["mcp-session-id"];
  if (typeof id !== "string") throw new Error(`no session: ${answer.status} ${answer.body}`);
  const session: Headers = { ...headers, "mcp-session-id": id, "mcp-protocol-version": version };
  await post(url, { jsonrpc: "2.0", method: "notifications/initialized" }, session);
  return session;
}

/** Returns the bytes of a request that POSTs a message. */
export function toBytes(message: object, headers: Headers, path = "/mcp"): Buffer {
  const body = JSON.stringify(message);
  const lines = Object.entries(present(headers)).map(([name, value]) => `${name}: ${String(value)}`);
  const head = [`POST ${path} HTTP/1.1`, "host: localhost", ...lines, `content-length: ${Buffer.byteLength(body)}`];
  return Buffer.from(`${head.join("\r\n")}\r\n\r\n${body}`);
}

/** Writes raw bytes to a connection; returns the bytes that the server sends until the connection ends. */
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

/** Drops headers whose value is undefined, which Node rejects. */
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
