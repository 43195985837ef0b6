import { isObject } from "../../protocol/messages.ts";
import type { Icon } from "../../protocol/model.ts";
import type { ServerState } from "../../server/server.ts";
import { messageOf } from "../../support/log.ts";
import { memoized } from "../../support/memo.ts";
import { defined } from "../../support/objects.ts";
import { builtinModule } from "../../support/run-time.ts";
import { sha1 } from "../../support/sha1.ts";
import { badOption, UsageError } from "../../support/usage-error.ts";
import { ANY_ORIGIN, answerMetadata } from "../../transports/http/challenge.ts";
import type { HttpExchange } from "../../transports/http/exchange.ts";
import { LOOPBACK_NAMES } from "../../transports/http/guard.ts";
import type { ServerCard } from "../../transports/http/options.ts";

/** The text is that of experimental-ext-server-card at 8924e08 (SEP-2127); it calls itself a draft. */
const SCHEMA = "https://static.modelcontextprotocol.io/schemas/v1/server-card.schema.json";
const CARD_TYPE = "application/mcp-server-card+json";
const CATALOG_TYPE = "application/ai-catalog+json";
const TYPES: readonly string[] = ["streamable-http", "sse"];
const CARD_PATH = "/server-card";
const CATALOG_PATH = "/.well-known/ai-catalog.json";

const NAME = /^(?=.{3,200}$)[A-Za-z0-9.-]+\/[A-Za-z0-9._-]+$/;

/** An address of the server, as in a `server.json`. */
export interface CardRemote {
  /** "streamable-http" or "sse". */
  readonly type: string;
  /** An https URL, or one of this machine. */
  readonly url: string;
  /** The headers that clients must send: their names, and never their secrets. */
  readonly headers?: readonly object[];
  readonly variables?: { readonly [name: string]: object };
}

/** The description of a server for those who have not connected yet, as in a `server.json`. */
export interface ServerCardOptions {
  /** The name in the MCP registry: a domain in reverse, a slash and a name, such as "com.example/shop". */
  readonly name: string;
  /** At most 100 characters. Default: the description of the server. */
  readonly description?: string;
  /** Default: the title of the server. */
  readonly title?: string;
  /** The card has the version of the server; another one here is logged as a warning. */
  readonly version?: string;
  /** Default: the website of the server. */
  readonly websiteUrl?: string;
  readonly repository?: {
    readonly url: string;
    readonly source: string;
    readonly subfolder?: string;
    readonly id?: string;
  };
  /** Default: the icons of the server. */
  readonly icons?: readonly Icon[];
  /** Where clients reach the server. The card is found below the first one of type "streamable-http". */
  readonly remotes?: readonly CardRemote[];
}

/**
 * Creates the option `card`: a document about the server at `<path>/server-card`, and the catalog at
 * `/.well-known/ai-catalog.json`, which anyone may read without authentication.
 * @param from - the description, or the path of a `server.json` that has it
 * @throws {UsageError} without an address, or for values that clients refuse.
 *
 * @example
 * await serveHttp(server, { card: serverCard("server.json") });
 */
export function serverCard(from: ServerCardOptions | string): ServerCard {
  return new Card(typeof from === "string" ? readEntry(from) : from);
}

function readEntry(file: string): ServerCardOptions {
  // Not imported: bundles for other run-times contain this file, too.
  const fs = builtinModule("node:fs") as { readFileSync(file: string, encoding: "utf8"): string } | undefined;
  if (fs === undefined) fail("this run-time has no files. Pass the content of the server.json.");
  try {
    return JSON.parse(fs.readFileSync(file, "utf8"));
  } catch (error) {
    fail(`${file} cannot be read: ${messageOf(error)}`);
  }
}

/** A document with the headers of its response. */
interface Document {
  readonly json: string;
  readonly etag: string;
  readonly headers: readonly string[];
}

class Card implements ServerCard {
  readonly #options: ServerCardOptions;
  /** Only the author knows it. From the header `Host`, anyone could write it into the caches of others. */
  readonly #address: string;
  #server: ServerState | undefined;
  #path: string | undefined;
  #document: Document | undefined;
  /** The cards of a site with no other. */
  readonly #alone = [this];

  constructor(options: ServerCardOptions) {
    this.#options = options;
    this.#address = checkOptions(options);
  }

  attach(server: ServerState, path: string | undefined): void {
    const isShared = this.#server !== undefined && (this.#server !== server || this.#path !== path);
    if (isShared) fail("the card is given to two servers. Give each server its own card, beside it: { server, card }.");
    this.#server = server;
    this.#path = path;
    const { version } = this.#options;
    if (version !== undefined && version !== server.info.version) {
      const message = `The server card is for version ${version}, but the server has ${server.info.version}, which the card shows`;
      server.log({ level: "warning", message });
    }
    this.#document = documentOf(CARD_TYPE, this.#describe(server));
  }

  answer(exchange: HttpExchange, cards: readonly ServerCard[] = this.#alone): boolean {
    const { path, method } = exchange;
    const isOwn = this.#path === undefined ? path.endsWith(CARD_PATH) : path === below(this.#path);
    const document = isOwn ? this.#document : path === CATALOG_PATH ? catalogOf(cards) : undefined;
    if (document === undefined) return false;
    const isRead = method === "GET" || method === "HEAD";
    if (isRead && names(exchange.header("if-none-match"), document.etag)) exchange.send(304, document.headers);
    else answerMetadata(exchange, document.json, document.headers);
    return true;
  }

  /** The entry of the catalog. */
  get entry(): object {
    const [namespace = "", name] = this.#options.name.split("/");
    const publisher = namespace.split(".").reverse().join(".");
    return { identifier: `urn:air:${publisher}:mcp:${name}`, type: CARD_TYPE, url: below(this.#address) };
  }

  #describe({ info, revisions }: ServerState): object {
    const { name, title, description, websiteUrl, repository, icons, remotes = [] } = { ...info, ...this.#options };
    const { version } = info;
    for (const [member, text, max] of [
      ["description", description ?? "", 100],
      ["title", title, 100],
      ["version", version, 255],
    ] as const)
      if (text !== undefined && (typeof text !== "string" || text === "" || text.length > max))
        throw badOption("serverCard()", member, `a text of 1 to ${max} characters`, text);
    return defined({
      $schema: SCHEMA,
      ...{ name, title, description, version, websiteUrl, repository, icons },
      remotes: remotes.map(({ type, url, headers, variables }) => {
        const supportedProtocolVersions = type === "sse" ? undefined : revisions.versions;
        return defined({ type, url, headers, variables, supportedProtocolVersions });
      }),
    });
  }
}

const catalogOf = memoized((cards: readonly ServerCard[]) =>
  documentOf(CATALOG_TYPE, { specVersion: "1.0", entries: (cards as readonly Card[]).map(({ entry }) => entry) }),
);

function documentOf(type: string, content: object): Document {
  const json = JSON.stringify(content);
  const etag = `"${sha1(json)}"`;
  const headers = [
    ...["content-type", type],
    ...["cache-control", "public, max-age=3600"],
    ...["etag", etag],
    ...["x-content-type-options", "nosniff"],
    ...["access-control-expose-headers", "ETag"],
    ...ANY_ORIGIN,
  ];
  return { json, etag, headers };
}

/** Whether a header `If-None-Match` has the tag, by the weak comparison of RFC 9110, section 13.1.2. */
function names(header: string | undefined, etag: string): boolean {
  return header?.split(",").some((each) => ["*", etag, `W/${etag}`].includes(each.trim())) === true;
}

/** The place of the card below a URL or path. */
function below(address: string): string {
  return address.replace(/\/$/, "") + CARD_PATH;
}

/** Returns the address of the server. @throws {UsageError} */
function checkOptions({ name, remotes = [], websiteUrl, repository }: ServerCardOptions): string {
  if (typeof name !== "string" || !NAME.test(name))
    throw badOption(
      "serverCard()",
      "name",
      'a domain in reverse, a slash and a name, such as "com.example/shop"',
      name,
    );
  for (const url of [websiteUrl, repository?.url])
    if (url !== undefined && !/^https?:\/\/[^\s]+$/.test(url)) fail(`${JSON.stringify(url)} is not an http URL.`);
  if (!Array.isArray(remotes)) throw badOption("serverCard()", "remotes", "a list of addresses", remotes);
  for (const remote of remotes) {
    if (!isPublic(remote?.url) || !TYPES.includes(remote.type))
      fail(
        `remotes has ${JSON.stringify(remote)}. It must have a type, "streamable-http" or "sse", and a url: https without a query, credentials and variables, or http of this machine.`,
      );
    refuseSecrets(remote);
  }
  const address = remotes.find(({ type }) => type === "streamable-http")?.url;
  return (
    address ??
    fail('there is no address. Add remotes: [{ "type": "streamable-http", "url": "https://shop.example.com/mcp" }].')
  );
}

function isPublic(text: string): boolean {
  if (!URL.canParse(text) || /[\s{}?#]/.test(text)) return false;
  const { protocol, hostname, username, password } = new URL(text);
  const isSafe = protocol === "https:" || (protocol === "http:" && LOOPBACK_NAMES.includes(hostname));
  return isSafe && username === "" && password === "";
}

/** @throws {UsageError} if an input that is a secret has a value: anyone can read a card. */
function refuseSecrets(value: unknown): void {
  if (typeof value !== "object" || value === null) return;
  const { isSecret, value: fixed, default: proposed, name = "a variable" } = isObject(value) ? value : {};
  const isFixed = typeof fixed === "string" && !fixed.includes("{");
  if (isSecret === true && (isFixed || proposed !== undefined))
    fail(`${String(name)} is a secret, but it has a value. Remove the value: anyone can read the card.`);
  for (const inner of Object.values(value)) refuseSecrets(inner);
}

function fail(message: string): never {
  throw new UsageError(`serverCard(): ${message}`);
}
