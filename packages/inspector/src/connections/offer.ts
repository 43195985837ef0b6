import { tokensOf } from "proffer/derived";
import type { JsonObject } from "../protocol/json.ts";
import type { Item, ItemKind, Offer, ServerInfo } from "../protocol/offer.ts";
import type { ServerCode } from "../support/host.ts";
import { bytesOf, isObject } from "../support/values.ts";
import type { Connected } from "./connected.ts";

/** More entries of one list help nobody, and the page keeps them all. */
const MAX_ENTRIES = 10_000;
const MAX_BYTES = 16 * 1024 * 1024;

interface List {
  readonly kind: ItemKind;
  readonly capability: "tools" | "prompts" | "resources";
  readonly method: "listTools" | "listPrompts" | "listResources" | "listTemplates";
  /** The member that tells an entry from the others. */
  readonly key: string;
  readonly isCounted: boolean;
}

const LISTS: readonly List[] = [
  { kind: "tool", capability: "tools", method: "listTools", key: "name", isCounted: true },
  { kind: "prompt", capability: "prompts", method: "listPrompts", key: "name", isCounted: true },
  { kind: "resource", capability: "resources", method: "listResources", key: "uri", isCounted: false },
  { kind: "template", capability: "resources", method: "listTemplates", key: "uriTemplate", isCounted: false },
];

/** Reads all lists of a server. A list that cannot be read is a problem of the offer, not a failure. */
export async function readOffer(connected: Connected, version: number, code?: ServerCode): Promise<Offer> {
  const { capabilities, lists } = connected;
  const items: Item[] = [];
  const problems: string[] = [];
  let bytes = 0;
  for (const { kind, capability, method, key, isCounted } of LISTS) {
    if (!capabilities[capability]) continue;
    try {
      const entries = (await lists[method]()) as unknown as JsonObject[];
      const kept = entries.slice(0, MAX_ENTRIES);
      if (kept.length < entries.length)
        problems.push(`Only the first ${MAX_ENTRIES} of ${entries.length} ${kind}s are shown.`);
      for (const description of kept) {
        const size = bytesOf(description);
        bytes += size;
        if (bytes > MAX_BYTES) break;
        const item = { kind, key: String(description[key]), description, ...(isCounted && { tokens: tokensOf(size) }) };
        items.push(withPlace(item, code));
      }
    } catch (error) {
      problems.push((error as Error).message);
    }
  }
  if (bytes > MAX_BYTES)
    problems.push(`The lists have more than ${MAX_BYTES / 1024 / 1024} MiB; the rest is not shown.`);
  const tokens = items.reduce((sum, item) => sum + (item.kind === "tool" ? (item.tokens ?? 0) : 0), 0);
  const { revision } = connected;
  return { version, revision, server: toServerInfo(connected), items, files: code?.files() ?? [], problems, tokens };
}

/** The item with its place in the code, as far as it is known now. */
export function withPlace({ place: _, ...item }: Item, code?: ServerCode): Item {
  const place = code?.placeOf(item.kind, item.key);
  return place === undefined ? item : { ...item, place };
}

/** Newer revisions have the name of the server in `_meta`. */
function toServerInfo({ client, capabilities }: Connected): ServerInfo {
  const { serverInfo, _meta, instructions } = client.opened;
  const info = serverInfo ?? (isObject(_meta) ? _meta["io.modelcontextprotocol/serverInfo"] : undefined);
  const { name, title, version } = isObject(info) ? info : {};
  return {
    name: typeof name === "string" ? name : "server",
    ...(typeof title === "string" && { title }),
    ...(typeof version === "string" && { version }),
    ...(typeof instructions === "string" && { instructions }),
    capabilities,
  };
}
