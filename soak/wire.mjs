import http from "node:http";

export const MODERN = "2026-07-28";
export const REVISIONS = ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25", MODERN];
/** The first revision whose clients can fill in forms. */
export const FORMS_SINCE = "2025-06-18";
/** The first revision whose clients repeat the negotiated revision in a header. */
const VERSION_HEADER_SINCE = "2025-06-18";
/** The first revision over Streamable HTTP; the one before it has the SSE pair. */
export const STREAMABLE_SINCE = "2025-03-26";

const META = "io.modelcontextprotocol/";
const CAPABILITIES = { elicitation: {}, sampling: {}, roots: {} };
const CLIENT = { name: "soak", version: "1.0.0" };
export const JSON_REQUEST = { "content-type": "application/json", accept: "application/json, text/event-stream" };

/** Returns a request in the shape of a revision. */
export function requestOf(revision, id, method, params = {}) {
  if (revision !== MODERN) return { jsonrpc: "2.0", id, method, params };
  const _meta = {
    [`${META}protocolVersion`]: MODERN,
    [`${META}clientInfo`]: CLIENT,
    [`${META}clientCapabilities`]: CAPABILITIES,
    ...params._meta,
  };
  return { jsonrpc: "2.0", id, method, params: { ...params, _meta } };
}

/** Returns the request that opens a session. */
export function initializeOf(revision, id = 0) {
  return requestOf("", id, "initialize", {
    protocolVersion: revision,
    capabilities: CAPABILITIES,
    clientInfo: CLIENT,
  });
}

export const INITIALIZED = { jsonrpc: "2.0", method: "notifications/initialized" };

/** Returns the headers of a request that say the same as its body. */
export function headersOf(message, { revision, token, session }) {
  const { name, uri, taskId } = message.params ?? {};
  const named = name ?? uri ?? taskId;
  return {
    ...JSON_REQUEST,
    ...(token && { authorization: `Bearer ${token}` }),
    ...(session && { "mcp-session-id": session }),
    ...(revision >= VERSION_HEADER_SINCE && message.method !== "initialize" && { "mcp-protocol-version": revision }),
    ...(revision === MODERN && message.method && { "mcp-method": message.method }),
    ...(revision === MODERN && named !== undefined && { "mcp-name": named }),
  };
}

/** Sends a request; resolves with the response as soon as its headers have arrived. */
export function send(port, { method = "POST", path = "/mcp", headers, body, agent = false, signal }) {
  return new Promise((resolve, reject) => {
    const options = { port, host: "127.0.0.1", method, path, headers, agent, signal };
    const request = http.request(options, (response) => {
      // An error after the headers ends the body, which its reader notices.
      response.on("error", () => {});
      resolve(response);
    });
    request.on("error", (error) => {
      error.reused = request.reusedSocket;
      reject(error);
    });
    request.end(body);
  });
}

/** Reads a whole body. */
export async function readAll(response) {
  let text = "";
  response.setEncoding("utf8");
  for await (const part of response) text += part;
  return text;
}

export function isStream(response) {
  return response.headers["content-type"]?.startsWith("text/event-stream") === true;
}

/** Calls back with the name and the data of each event of a stream; resolves at its end. */
export function readEvents(response, receive) {
  let rest = "";
  response.setEncoding("utf8").on("data", (text) => {
    const events = (rest + text).split("\n\n");
    rest = events.pop();
    for (const event of events) {
      const fields = event.split("\n").map((line) => [line.slice(0, line.indexOf(":")), line.replace(/^\w*: ?/, "")]);
      const data = fields.filter(([name]) => name === "data").map(([, value]) => value);
      const [, name = "message"] = fields.find(([field]) => field === "event") ?? [];
      // An event without data only has an id to resume from.
      if (data.join("") !== "") receive(name, data.join("\n"));
    }
  });
  return new Promise((resolve) => {
    response.once("close", resolve);
  });
}
