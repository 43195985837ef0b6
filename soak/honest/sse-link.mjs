import http from "node:http";
import { headersOf, isStream, readAll, readEvents } from "../wire.mjs";
import { sendPatiently } from "./patience.mjs";

/** Connects a client of `proffer/testing` to the server over the SSE pair of 2024-11-05. */
export function linkSse({ port, secret: token, revision, tally }, receive) {
  const agent = new http.Agent({ keepAlive: true });
  const stop = new AbortController();
  const headers = headersOf({}, { revision, token });
  let opened;
  const endpoint = new Promise((resolve) => {
    opened = resolve;
  });
  const { signal } = stop;
  const opening = sendPatiently(port, { method: "GET", path: "/mcp/sse", headers, signal }, tally);
  let last = opening.then((response) => {
    if (!isStream(response)) throw new Error(`The stream was answered with ${response.statusCode}.`);
    void readEvents(response, (name, data) => (name === "endpoint" ? opened(`/mcp/${data}`) : receive(data)));
  });
  return {
    send(body) {
      last = last.then(() => post(body)).catch((error) => fail(body, error));
    },
    async close() {
      await last;
    },
    destroy() {
      stop.abort();
      agent.destroy();
    },
  };

  async function post(body) {
    const path = await endpoint;
    const response = await sendPatiently(port, { path, headers, body, agent, signal }, tally);
    const text = await readAll(response);
    if (response.statusCode !== 202) throw new Error(`A message was answered with ${response.statusCode} ${text}`);
  }

  function fail(body, error) {
    const { id } = JSON.parse(body);
    if (signal.aborted) return;
    receive(JSON.stringify({ jsonrpc: "2.0", id, error: { code: 0, message: error.message } }));
  }
}
