import { HeaderParams } from "../../client/header-params.ts";
import { headersFor } from "../../client/request-headers.ts";
import type { Draft } from "../protocol/api.ts";
import type { JsonObject } from "../protocol/json.ts";
import { quoteForSh } from "./as-command.ts";
import { CLIENT, hasHandshake, toMessage } from "./as-message.ts";
import { addressOf, type Copied, type CopySource } from "./copy-source.ts";

const SESSION = "mcp-session-id";

/**
 * Writes a request for curl. Before 2026-07-28 a session comes first. Questions cannot be answered this way: the result
 * contains them, or the request waits.
 */
export function asCurl(draft: Draft, source: CopySource): Copied {
  const url = addressOf(source);
  const params = new HeaderParams();
  params.learn({ result: { tools: source.tools } });
  const message = toMessage(draft, 2);
  if (!hasHandshake(draft.revision)) {
    return { text: curl(url, message, headersFor(message as never, params)), language: "sh" };
  }
  const { revision } = draft;
  const open = { protocolVersion: revision, capabilities: { elicitation: {} }, clientInfo: CLIENT };
  const initialize = { jsonrpc: "2.0", id: 1, method: "initialize", params: open };
  const headers = headersFor(initialize, params);
  const inSession = { ...headers, "mcp-protocol-version": revision };
  const lines = [
    `session=$(${curl(url, initialize, headers, "-D - -o /dev/null")} | awk 'tolower($1) == "${SESSION}:" { printf "%s", $2 }' | tr -d '\\r')`,
    curl(url, { jsonrpc: "2.0", method: "notifications/initialized" }, inSession, SEND_SESSION),
    curl(url, message, inSession, SEND_SESSION),
  ];
  return { text: lines.join("\n"), language: "sh" };
}

/** A server without sessions sends no id, and gets none. */
const SEND_SESSION = `\${session:+-H "${SESSION}: $session"}`;

function curl(url: string, message: JsonObject, headers: { readonly [name: string]: string }, more = ""): string {
  const given = Object.entries(headers).map(([name, value]) => `-H ${quoteForSh(`${name}: ${value}`)}`);
  const words = ["curl -sS", quoteForSh(url), ...(more === "" ? [] : [more]), ...given];
  return `${words.join(" ")} -d ${quoteForSh(JSON.stringify(message))}`;
}
