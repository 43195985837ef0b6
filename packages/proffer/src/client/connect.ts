import type { Revision } from "../protocol/revisions/revision.ts";
import { REVISIONS } from "../protocol/revisions/table.ts";
import type { Server } from "../server/server.ts";
import { Client } from "./client.ts";
import { type CommandOptions, linkCommand } from "./command-link.ts";
import { ConnectionError, RemoteError } from "./errors.ts";
import { linkUrl, type UrlOptions } from "./http-link.ts";
import { nameOfUrl } from "./http-streams.ts";
import { type Link, pause } from "./link.ts";
import type { ClientOptions } from "./options.ts";
import type { VersionOf } from "./served.ts";
import type { LocalOptions } from "./server-link.ts";
import { type Typed, withTypes } from "./typed.ts";

/** A command that starts a server and talks to it over stdin and stdout. */
export interface Command extends Pick<CommandOptions, "cwd" | "env"> {
  readonly command: string;
  readonly args?: readonly string[];
}

/** A server: its URL, a command that starts it, or a server in this process. */
export type Target = string | URL | Command | Server;

/** Options for `connect`. Some are for one kind of target only. */
export interface ConnectOptions
  extends ClientOptions,
    Pick<UrlOptions, "headers" | "login" | "maxBytes">,
    Pick<CommandOptions, "onStderr">,
    LocalOptions {
  /** Gives up connecting when it aborts. The client stays connected afterwards. */
  readonly signal?: AbortSignal;
}

/**
 * Connects to a server at a URL, started by a command, or in the same process, on the newest revision that it supports.
 * @throws {ConnectionError} if nothing answers. @throws {RemoteError} if the server refuses every revision.
 *
 * @example
 * await using client = await connect("https://shop.example/mcp", { headers: { authorization: `Bearer ${token}` } });
 * const { content } = await client.call("order", { id: "7" });
 *
 * @example
 * await using files = await connect({ command: "npx", args: ["files-mcp", "."] });
 */
export function connect<Items>(server: Server<Items>, options?: ConnectOptions): Promise<TypedClient<Server<Items>>>;
/**
 * @example
 * await using shop = await connect<typeof import("./shop.ts")>("https://shop.example/mcp");
 * const order = await shop.tools.order("7", 10);
 */
export function connect<Of = unknown>(
  target: Target,
  options?: ConnectOptions & TypesOption<Of>,
): Promise<TypedClient<Of>>;
export async function connect(target: Target, options: ConnectOptions & TypesOption<unknown> = {}): Promise<object> {
  const { name, link } = await toLink(target, options);
  return withTypes(await connectOver(link, { reconnects: true, ...options, name }), options.typesOf);
}

/** A client with the functions of its server. */
export type TypedClient<Of = unknown> = Client & Typed<Of>;

/** An option of typed clients. */
export interface TypesOption<Of> {
  /** The version of the server that the types are of. Errors about unknown tools and parameters name it. */
  readonly typesOf?: VersionOf<Of>;
}

async function toLink(target: Target, options: ConnectOptions): Promise<{ name: string; link: Link }> {
  if (typeof target === "string" || target instanceof URL) {
    const url = checkUrl(String(target));
    return { name: nameOfUrl(url), link: linkUrl(url, options) };
  }
  if ("command" in target) {
    const { command, args = [], cwd, env } = target;
    return { name: command, link: linkCommand([command, ...args], { ...options, cwd, env }) };
  }
  const { openServer } = await import("./server-link.ts");
  return { name: target.info.name, link: await openServer(target, options) };
}

function checkUrl(url: string): string {
  const { protocol, username, password } = URL.canParse(url) ? new URL(url) : { protocol: "" };
  if (protocol !== "http:" && protocol !== "https:") {
    throw new TypeError(
      `connect: ${JSON.stringify(url)} is not a URL of http: or https:. For a command, pass { command }.`,
    );
  }
  if (!username && !password) return url;
  throw new TypeError("connect: the URL contains a user name or a password. Send them in the option headers.");
}

/** Options for `connectOver`. */
export interface LinkedOptions extends ClientOptions {
  /** The name of the server in messages. Default: "The server". */
  readonly name?: string;
  /** Whether the link can be opened again when the connection is lost. Default: false. */
  readonly reconnects?: boolean;
  /** Gives up connecting when it aborts. */
  readonly signal?: AbortSignal;
}

/**
 * In milliseconds. A server that does not support the newest revision may not respond at all, so the first attempt is
 * short. The last attempt waits longer, because a server may be slow to start on a busy machine.
 */
const FIRST_TIMEOUT = 10_000;
const LAST_TIMEOUT = 120_000;
/** Milliseconds for the end of an attempt that was given up. */
const GRACE = 1000;

/**
 * Connects a client over your own transport, on the revision of the options, or else on the newest that the server
 * supports. Each attempt opens the link.
 *
 * @example
 * const client = await connectOver((receive) => {
 *   const socket = new WebSocket(url);
 *   socket.onmessage = ({ data }) => receive(data);
 *   return { send: (text) => socket.send(text), close: () => socket.close() };
 * });
 */
export async function connectOver(link: Link, options: LinkedOptions = {}): Promise<Client> {
  const { revision, timeout = 0, name = "The server", reconnects = false, signal } = options;
  const open = ({ version, handshake }: Pick<Revision, "version" | "handshake">, limit: number) =>
    openWithin(new Client({ link, name, reconnects, revision: version, handshake }, options), limit, signal);
  if (revision !== undefined) {
    const known = REVISIONS.get(revision);
    if (known === undefined) throw new TypeError(`Unknown protocol revision ${revision}.`);
    return open(known, LAST_TIMEOUT);
  }
  // Half of a short time is left for the second attempt.
  const first = timeout === 0 ? FIRST_TIMEOUT : Math.min(FIRST_TIMEOUT, timeout / 2);
  try {
    return await open({ version: REVISIONS.stateless.at(-1) ?? "", handshake: false }, first);
  } catch (error) {
    // The time may have ended while the first attempt was closed.
    signal?.throwIfAborted();
    const listed = listedVersions(error);
    const version = REVISIONS.stateless.findLast((each) => listed.includes(each));
    if (version !== undefined) return open({ version, handshake: false }, LAST_TIMEOUT);
    if (!isOlder(error)) throw error;
  }
  // Every older server supports the newest revision that starts with `initialize`.
  return open(REVISIONS.newestHandshake, LAST_TIMEOUT);
}

/** Opens a client within a time limit, or closes it. */
async function openWithin(client: Client, timeout: number, signal?: AbortSignal): Promise<Client> {
  try {
    const { supportedVersions } = await client.open({ timeout, ...(signal && { signal }) });
    const isSupported = !Array.isArray(supportedVersions) || supportedVersions.includes(client.revision);
    if (client.hasHandshake || isSupported) return client;
    const message = `${client.name} supports only the revisions ${supportedVersions.join(", ")}.`;
    throw new RemoteError({ code: UNSUPPORTED_VERSION, message, data: { supported: supportedVersions } });
  } catch (error) {
    const closed = client.close();
    await (signal?.aborted ? Promise.race([closed, pause(GRACE)]) : closed);
    throw error;
  }
}

const HEADER_MISMATCH = -32020;
const MISSING_CAPABILITY = -32021;
const UNSUPPORTED_VERSION = -32022;
/** A response with one of these says something about the caller or the moment, not about the protocol. */
const NO_VERDICT = new Set([401, 403, 407, 408, 425, 429]);

/** The versions that a server names when it refuses one. */
function listedVersions(error: unknown): readonly unknown[] {
  if (!(error instanceof RemoteError) || error.code !== UNSUPPORTED_VERSION) return [];
  const { supported } = (error.data ?? {}) as { readonly supported?: unknown };
  return Array.isArray(supported) ? supported : [];
}

/**
 * Whether a failed `server/discover` shows a server that starts with `initialize`. A server that does not know the
 * request may refuse it with any error, not respond at all, or end.
 */
function isOlder(error: unknown): boolean {
  if (error instanceof RemoteError) {
    if (error.code === HEADER_MISMATCH || error.code === MISSING_CAPABILITY) return false;
    if (error.code !== UNSUPPORTED_VERSION) return true;
    return listedVersions(error).some((version) => REVISIONS.get(String(version))?.handshake);
  }
  if (!(error instanceof ConnectionError)) return false;
  const { kind, status = 0 } = error;
  if (kind === "status") return status < 500 && !NO_VERDICT.has(status);
  return kind === "timeout" || kind === "ended";
}
