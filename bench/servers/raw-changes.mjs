import { textResult } from "../workload/definition.mjs";

const META_ID = "io.modelcontextprotocol/subscriptionId";
const UPDATED = "notifications/resources/updated";
const ACKNOWLEDGED = "notifications/subscriptions/acknowledged";

/** The listeners of a raw server of the newest revision, and the tool that notifies them of a change. */
export function createChanges() {
  const listeners = new Map();

  function listen({ id, params }, response) {
    response.writeHead(200, { "content-type": "text/event-stream" });
    response.write(event(ACKNOWLEDGED, { ...params, _meta: { [META_ID]: id } }));
    listeners.set(id, response);
    response.on("close", () => listeners.delete(id));
  }

  function touch({ id }, response) {
    for (const [listener, stream] of listeners) {
      stream.write(event(UPDATED, { uri: "text://1k", _meta: { [META_ID]: listener } }));
    }
    const result = { resultType: "complete", ...textResult("told") };
    response.writeHead(200, { "content-type": "application/json" });
    response.end(JSON.stringify({ jsonrpc: "2.0", id, result }));
  }

  return {
    /** Handles a message about changes; returns false for any other. */
    take(message, response) {
      if (message.method === "subscriptions/listen") listen(message, response);
      else if (message.method === "tools/call" && message.params.name === "touch") touch(message, response);
      else return false;
      return true;
    },
  };
}

function event(method, params) {
  return `data: ${JSON.stringify({ jsonrpc: "2.0", method, params })}\n\n`;
}
