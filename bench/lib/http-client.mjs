import http from "node:http";
import { INITIALIZED, initializeRequest, LEGACY, MODERN } from "../workload/messages.mjs";
import { PATIENCE } from "./server-process.mjs";

/** Returns the headers of a message; on the newest revision they repeat parts of the body. */
export function headersOf(era, message, session) {
  const headers = {
    "content-type": "application/json",
    accept: "application/json, text/event-stream",
    "mcp-protocol-version": era === "modern" ? MODERN : LEGACY,
  };
  if (session !== undefined) headers["mcp-session-id"] = session;
  if (era === "modern") {
    headers["mcp-method"] = message.method;
    const name = message.params?.name ?? message.params?.uri ?? message.params?.taskId;
    if (name !== undefined) headers["mcp-name"] = name;
  }
  return headers;
}

/** Posts one message and returns the whole response; `json` is its message, sent as JSON or as an event. */
export function post(port, era, message, session) {
  const options = { port, host: "127.0.0.1", path: "/mcp", method: "POST", headers: headersOf(era, message, session) };
  return new Promise((resolve, reject) => {
    const request = http.request(options, (response) => {
      let body = "";
      response.setEncoding("utf8");
      response.on("data", (text) => {
        body += text;
      });
      response.on("end", () => {
        const { statusCode: status, headers } = response;
        const bytes = Buffer.byteLength(body);
        resolve({ status, session: headers["mcp-session-id"], json: messageIn(body, headers), bytes, body });
      });
    });
    request.on("error", reject);
    request.setTimeout(PATIENCE, () => request.destroy(new Error(`no answer in ${PATIENCE} ms`)));
    request.end(JSON.stringify(message));
  });
}

/** Opens a session and returns its id, or undefined if the server has no sessions. */
export async function openSession(port) {
  const { json, session, status, body } = await post(port, "legacy", initializeRequest());
  if (json?.result === undefined) throw new Error(`initialize was answered with ${status} ${body.slice(0, 200)}`);
  if (session !== undefined) await post(port, "legacy", INITIALIZED, session);
  return session;
}

/** Returns the last message of a body. */
function messageIn(body, headers) {
  const isStream = headers["content-type"]?.includes("event-stream");
  const events = body.split("\n").filter((line) => line.startsWith("data:") && line.length > "data: ".length);
  try {
    return JSON.parse(isStream ? events.at(-1).slice("data:".length) : body);
  } catch {
    return undefined;
  }
}
