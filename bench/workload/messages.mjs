/** The client info that every server gets. */
const CLIENT = { name: "bench", version: "1.0.0" };

/** The revision of older peers, with a handshake. */
export const LEGACY = "2025-06-18";

/** The newest revision: each request describes itself. */
export const MODERN = "2026-07-28";

const META = "io.modelcontextprotocol/";

/** The `_meta` of a request whose client supports tasks. */
export const WITH_TASKS = {
  [`${META}clientCapabilities`]: { elicitation: {}, extensions: { [`${META}tasks`]: {} } },
};

/** Returns a JSON-RPC request of an era ("legacy" or "modern"). */
export function request(era, id, method, params) {
  if (era === "legacy") return { jsonrpc: "2.0", id, method, params };
  const _meta = {
    [`${META}protocolVersion`]: MODERN,
    [`${META}clientInfo`]: CLIENT,
    [`${META}clientCapabilities`]: { elicitation: {} },
    ...params?._meta,
  };
  return { jsonrpc: "2.0", id, method, params: { ...params, _meta } };
}

/** The request that opens a legacy session. */
export function initializeRequest(id = 1) {
  return request("legacy", id, "initialize", {
    protocolVersion: LEGACY,
    capabilities: { elicitation: {} },
    clientInfo: CLIENT,
  });
}

export const INITIALIZED = { jsonrpc: "2.0", method: "notifications/initialized" };
