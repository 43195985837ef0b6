import type { Draft } from "../protocol/api.ts";
import type { JsonObject } from "../protocol/json.ts";
import type { Copied } from "./copy-source.ts";

const PREFIX = "io.modelcontextprotocol/";
export const CLIENT = { name: "my-client", version: "1.0.0" };

/** The oldest revision without `initialize`: each request says what the handshake said before. */
const STATELESS = "2026-07-28";

export function hasHandshake(revision: string): boolean {
  return revision < STATELESS;
}

/** Returns the request as a client sends it. */
export function toMessage({ method, params, revision }: Draft, id = 1): JsonObject {
  const meta = {
    [`${PREFIX}protocolVersion`]: revision,
    [`${PREFIX}clientInfo`]: CLIENT,
    [`${PREFIX}clientCapabilities`]: { elicitation: { form: {}, url: {} } },
  };
  return { jsonrpc: "2.0", id, method, params: hasHandshake(revision) ? params : { ...params, _meta: meta } };
}

/** Writes the request as JSON-RPC. */
export function asMessage(draft: Draft): Copied {
  return { text: JSON.stringify(toMessage(draft), undefined, 2), language: "json" };
}
