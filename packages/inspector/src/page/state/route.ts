import type { ItemKind, Json, JsonObject } from "../../protocol/data.ts";
import { decodeBase64 } from "../text/format.ts";
import { decodePart, isObject } from "../text/json.ts";

/** The content of the middle of the page. */
export type Shown =
  | { readonly pane: "home" }
  | { readonly pane: "item"; readonly kind: ItemKind; readonly key: string }
  | { readonly pane: "wire"; readonly n?: number }
  | { readonly pane: "history"; readonly id?: string }
  /** The view of a watched client, by its lane. */
  | { readonly pane: "client"; readonly conn: string }
  /** An address that this page does not know. */
  | { readonly pane: "unknown"; readonly path: string };

export interface Route {
  readonly shown: Shown;
  /** Without it: the newest one of the server. */
  readonly revision?: string | undefined;
  /** The arguments, whole or not at all. */
  readonly value?: JsonObject | undefined;
  /** There were arguments in the address, but they cannot be read. */
  readonly damaged?: boolean | undefined;
  /** The filter of the timeline. */
  readonly filter?: string | undefined;
  /** The tabs that were chosen: of the request, of the answer, and of the side pane, which a link opens. */
  readonly request?: string | undefined;
  readonly result?: string | undefined;
  readonly side?: string | undefined;
}

/** The members of the query that are texts, by the members of a route. */
const TEXTS = { revision: "rev", filter: "filter", request: "request", result: "result", side: "side" } as const;

/** Longer arguments are left out of an address: browsers and chats cut long ones, and half of the arguments would lie. */
export const MAX_LINKED_BYTES = 8192;

const FOLDERS: { readonly [Kind in ItemKind]: string } = {
  tool: "tools",
  prompt: "prompts",
  resource: "resources",
  template: "templates",
};

export function parseRoute(address: URL): Route {
  const query = address.searchParams;
  const texts = Object.entries(TEXTS).flatMap(([member, name]) => {
    const text = query.get(name);
    return text ? [[member, text]] : [];
  });
  const coded = query.get("a");
  const value = coded === null ? undefined : fromBase64url(coded);
  return {
    shown: shownAt(address),
    ...Object.fromEntries(texts),
    ...(isObject(value) ? { value } : coded !== null && { damaged: true }),
  };
}

export function formatRoute(route: Route): string {
  const { shown, value } = route;
  const query = new URLSearchParams();
  const path = pathOf(shown, query);
  if (value !== undefined && fitsIntoLink(value)) query.set("a", toBase64url(value));
  for (const member of Object.keys(TEXTS) as (keyof typeof TEXTS)[]) {
    const text = route[member];
    if (text) query.set(TEXTS[member], text);
  }
  return query.size > 0 ? `${path}?${query}` : path;
}

export function fitsIntoLink(value: JsonObject): boolean {
  return new TextEncoder().encode(JSON.stringify(value)).length <= MAX_LINKED_BYTES;
}

function shownAt(address: URL): Shown {
  const [, folder = "", segment, ...rest] = address.pathname.split("/");
  if (folder === "" && segment === undefined) return { pane: "home" };
  const unknown = { pane: "unknown", path: address.pathname } as const;
  const text = segment === undefined ? undefined : decodePart(segment);
  if (rest.length > 0) return unknown;
  if (folder === "wire") return numbered(text) ?? unknown;
  if (folder === "clients" && text) return { pane: "client", conn: text };
  if (folder === "history") return text ? { pane: "history", id: text } : { pane: "history" };
  const kind = (Object.keys(FOLDERS) as ItemKind[]).find((kind) => FOLDERS[kind] === folder);
  const key = keyIn(address.searchParams) ?? text;
  return kind === undefined || key === undefined ? unknown : { pane: "item", kind, key };
}

function numbered(text: string | undefined): Shown | undefined {
  if (!text) return { pane: "wire" };
  return /^\d{1,9}$/.test(text) ? { pane: "wire", n: Number(text) } : undefined;
}

function keyIn(query: URLSearchParams): string | undefined {
  const coded = query.get("key");
  const key = coded === null ? undefined : fromBase64url(coded);
  return typeof key === "string" ? key : (query.get("uri") ?? undefined);
}

function pathOf(shown: Shown, query: URLSearchParams): string {
  switch (shown.pane) {
    case "home":
      return "/";
    case "wire":
      return shown.n === undefined ? "/wire" : `/wire/${shown.n}`;
    case "history":
      return shown.id === undefined ? "/history" : `/history/${encodeURIComponent(shown.id)}`;
    case "client":
      return `/clients/${encodeURIComponent(shown.conn)}`;
    case "unknown":
      return shown.path;
    case "item":
      return itemPath(shown.kind, shown.key, query);
  }
}

function itemPath(kind: ItemKind, key: string, query: URLSearchParams): string {
  const path = `/${FOLDERS[kind]}`;
  // A browser removes dot segments, also escaped ones, and lone surrogates have no escape.
  const plain = !/^\.{0,2}$/.test(key) && !/\p{Surrogate}/u.test(key);
  if (!plain) query.set("key", toBase64url(key));
  else if (kind === "resource") query.set("uri", key);
  else return `${path}/${encodeURIComponent(key)}`;
  return path;
}

/** JSON as text for an address. `JSON.stringify` escapes lone surrogates, which UTF-8 cannot express: every string survives. */
export function toBase64url(value: Json): string {
  const bytes = new TextEncoder().encode(JSON.stringify(value));
  let binary = "";
  for (const byte of bytes) binary += String.fromCharCode(byte);
  return btoa(binary).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
}

/** Undefined if `toBase64url` did not write the text. */
export function fromBase64url(text: string): Json | undefined {
  try {
    return JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(decodeBase64(text))) as Json;
  } catch {
    return undefined;
  }
}
