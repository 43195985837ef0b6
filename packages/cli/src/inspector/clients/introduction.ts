import type { ClientIdentity } from "./client-message.ts";

/** What a message says of its client and its revision. */
export interface Introduction {
  readonly client?: ClientIdentity;
  readonly revision?: string;
  /** It opens a session. */
  readonly isInitialize: boolean;
}

type Members = { readonly [name: string]: unknown };

const META = "io.modelcontextprotocol/";
/** Characters of a name or a version. */
const MAX_LENGTH = 200;

/** Reads what a request says of its client. A message that cannot be parsed says nothing. */
export function introductionOf(text: string): Introduction {
  const { method, params } = parse(text);
  const { clientInfo, _meta } = members(params);
  if (method === "initialize") return { ...identified(clientInfo), isInitialize: true };
  const meta = members(_meta);
  const revision = shortText(meta[`${META}protocolVersion`]);
  return { ...identified(meta[`${META}clientInfo`]), ...(revision && { revision }), isInitialize: false };
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
