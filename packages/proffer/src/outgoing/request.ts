import { builtinModule } from "../support/run-time.ts";
import { checkAddress, checkUrl, literalOf, reachOf } from "./address.ts";
import {
  FetchError,
  MAX_RESPONSE,
  type OutgoingOptions,
  type OutgoingResponse,
  type Reach,
  type Reply,
} from "./options.ts";
import { readChunks, readText } from "./read.ts";

/**
 * Sends a request to an address that may come from another party. It must be `https`, or on this machine; redirects are
 * not followed; time and size are limited while the response arrives. Node connects to the addresses that were checked.
 * Other run-times cannot: Bun and Deno check what a name resolves to at that moment, browsers and Workers only IP addresses.
 * @throws {FetchError}
 */
export async function request(text: string, options: OutgoingOptions): Promise<OutgoingResponse> {
  const { timeout, maxBytes = MAX_RESPONSE, signal } = options;
  const stop = new AbortController();
  const abort = () => stop.abort(signal?.reason);
  const timer = setTimeout(() => stop.abort(), timeout);
  signal?.addEventListener("abort", abort);
  let status: number | undefined;
  const failed = (problem: string, cause?: unknown) => new FetchError(`${text} ${problem}.`, status, { cause });
  try {
    signal?.throwIfAborted();
    const url = checkUrl(text, options.within);
    const send = isNode() ? (await import("./node.ts")).sendOnNode : sendByFetch;
    const { chunks, ...reply } = await send(url, { ...options, signal: stop.signal });
    status = reply.status;
    return { ...reply, text: await readText(chunks, maxBytes, () => failed(`returned more than ${maxBytes} bytes`)) };
  } catch (error) {
    signal?.throwIfAborted();
    if (stop.signal.aborted) throw failed(`did not answer within ${timeout} ms`);
    if (error instanceof FetchError) throw error;
    throw failed("cannot be reached", error);
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener("abort", abort);
    // Also ends a response that was refused before it arrived completely.
    stop.abort();
  }
}

/** Requests a JSON object. @throws {FetchError} */
export async function requestJson(
  url: string,
  { headers, ...options }: OutgoingOptions,
): Promise<{ readonly [member: string]: unknown }> {
  const { status, text } = await request(url, { ...options, headers: { accept: "application/json", ...headers } });
  if (status !== 200) throw new FetchError(`${url} answered with status ${status}.`, status);
  const value = parseObject(text);
  if (value !== undefined) return value;
  // A syntax error would quote the response, which may contain anything.
  throw new FetchError(`${url} did not return a JSON object.`, status);
}

/** The options of a request that sends a form. */
export function formRequest(
  form: URLSearchParams,
  headers: { readonly [name: string]: string } = {},
): Pick<OutgoingOptions, "method" | "headers" | "body"> {
  const type = { "content-type": "application/x-www-form-urlencoded;charset=UTF-8" };
  return { method: "POST", headers: { ...type, ...headers }, body: form.toString() };
}

/** The header by which a client authenticates. RFC 6749, section 2.3.1: both parts are form-encoded, so neither has a "=". */
export function basicCredentials(id: string, secret: string): string {
  return `Basic ${btoa(new URLSearchParams([[id, secret]]).toString().replace("=", ":"))}`;
}

/** Parses a JSON object; undefined for any other text. */
export function parseObject(text: string): { readonly [member: string]: unknown } | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null && !Array.isArray(value) ? { ...value } : undefined;
  } catch {
    return undefined;
  }
}

/** Bun, Deno and Workers have Node's modules, too, but not all options of their requests. */
function isNode(): boolean {
  const { process, WebSocketPair } = globalThis as {
    process?: { versions?: { readonly [name: string]: string | undefined } };
    WebSocketPair?: unknown;
  };
  const { node, bun, deno } = process?.versions ?? {};
  return node !== undefined && (bun ?? deno ?? WebSocketPair) === undefined;
}

/** The part of `node:dns` that this module uses: it is checked without the types of Node. */
interface Dns {
  readonly promises: { lookup(name: string, options: { all: true }): Promise<readonly { address: string }[]> };
}

async function sendByFetch(url: URL, options: OutgoingOptions): Promise<Reply> {
  const { method = "GET", headers, body, signal, within, proxy } = options;
  if (proxy !== undefined) throw new FetchError("This run-time has no option for a proxy.");
  const literal = literalOf(url);
  const dns = builtinModule("node:dns") as Dns | undefined;
  const names = literal === undefined && within !== undefined;
  const found = names ? ((await dns?.promises.lookup(url.hostname, { all: true })) ?? []) : [];
  for (const { address } of found) checkAddress(url, address, within);
  const init = { method, redirect: "manual" as const, ...(headers && { headers }), ...(body && { body }) };
  const response = await fetch(url, { ...init, ...(signal && { signal }) });
  return {
    status: response.status,
    header: (name) => response.headers.get(name) ?? undefined,
    reach: url.protocol === "http:" ? "loopback" : known(literal ?? found[0]?.address),
    chunks: readChunks(response.body),
  };
}

function known(address: string | undefined): Reach {
  const reach = address === undefined ? "public" : reachOf(address);
  return reach === "none" ? "public" : reach;
}
