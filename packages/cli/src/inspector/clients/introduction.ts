import type { JsonObject } from "../protocol/json.ts";
import type { ClientIdentity } from "./client-message.ts";

/** What a message says of its client, of what the client can do, and of its revision. */
export interface Introduction {
  readonly client?: ClientIdentity;
  readonly capabilities?: JsonObject;
  readonly revision?: string;
  /** It opens a session. */
  readonly isInitialize: boolean;
}

type Members = { readonly [name: string]: unknown };

const META = "io.modelcontextprotocol/";
/** Characters of a name or a version. */
const MAX_LENGTH = 200;
/** Characters of capabilities, which are a few words. Longer ones are left out whole: a part of them would lie. */
const MAX_CAPABILITIES = 4000;

/** Reads what a request says of its client. A message that cannot be parsed says nothing. */
export function introductionOf(text: string): Introduction {
  const { method, params } = parse(text);
  const { clientInfo, capabilities, _meta } = members(params);
  if (method === "initialize") return { ...identified(clientInfo), ...capable(capabilities), isInitialize: true };
  const meta = members(_meta);
  const revision = shortText(meta[`${META}protocolVersion`]);
  return {
    ...identified(meta[`${META}clientInfo`]),
    ...capable(meta[`${META}clientCapabilities`]),
    ...(revision && { revision }),
    isInitialize: false,
  };
}

/** Reads the revision that a response to `initialize` agrees on. */
export function agreedRevision(text: string): string | undefined {
  return shortText(members(parse(text).result).protocolVersion);
}

function identified(info: unknown): { readonly client?: ClientIdentity } {
  const { name, version } = members(info);
  const shown = shortText(name);
  const number = shortText(version);
  return shown === undefined ? {} : { client: { name: shown, ...(number && { version: number }) } };
}

function capable(capabilities: unknown): { readonly capabilities?: JsonObject } {
  if (typeof capabilities !== "object" || capabilities === null || Array.isArray(capabilities)) return {};
  try {
    if (JSON.stringify(capabilities).length > MAX_CAPABILITIES) return {};
  } catch {
    // Nested too deeply to be written again.
    return {};
  }
  return { capabilities: capabilities as JsonObject };
}

function parse(text: string): Members {
  try {
    return members(JSON.parse(text));
  } catch {
    return {};
  }
}

function members(value: unknown): Members {
  return typeof value === "object" && value !== null ? (value as Members) : {};
}

function shortText(value: unknown): string | undefined {
  return typeof value === "string" && value !== "" ? value.slice(0, MAX_LENGTH) : undefined;
}
