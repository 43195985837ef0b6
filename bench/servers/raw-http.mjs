import { createServer } from "node:http";
import { createChanges } from "./raw-changes.mjs";

const JSON_TYPE = { "content-type": "application/json" };

/** Answers POST requests on 127.0.0.1:$PORT. */
export async function rawHttp(reply, mode) {
  const port = Number(process.env.PORT);
  if (mode === "fetch") {
    const { serve } = await import("@hono/node-server");
    serve({ port, hostname: "127.0.0.1", fetch: (request) => handleFetch(request, reply) });
    return;
  }
  const changes = createChanges();
  const listener = (request, response) => {
    if (mode === "checked" && !isAllowed(request)) return response.writeHead(400).end();
    const chunks = [];
    request.on("data", (chunk) => chunks.push(chunk));
    request.on("end", () => {
      const message = JSON.parse(chunks.length === 1 ? chunks[0] : Buffer.concat(chunks));
      if (message.id === undefined) return response.writeHead(202).end();
      if (changes.take(message, response)) return;
      const answer = reply(message);
      if (answer instanceof Promise) answer.then((text) => send(response, text));
      else send(response, answer);
    });
  };
  createServer(listener).listen(port, "127.0.0.1");
}

function send(response, answer) {
  if (typeof answer === "string") {
    response.writeHead(200, JSON_TYPE).end(answer);
    return;
  }
  const [head, tail] = answer;
  response.writeHead(200, { ...JSON_TYPE, "content-length": head.length + tail.length });
  response.write(head);
  response.end(tail);
}

async function handleFetch(request, reply) {
  const message = await request.json();
  if (message.id === undefined) return new Response(null, { status: 202 });
  return new Response(await reply(message), { headers: JSON_TYPE });
}

const LOOPBACK = /^(127\.0\.0\.1|localhost)(:\d+)?$/;
const LOOPBACK_ORIGIN = /^https?:\/\/(127\.0\.0\.1|localhost)(:\d+)?$/;

function isAllowed({ method, url, headers }) {
  if (method !== "POST" || url !== "/mcp" || !LOOPBACK.test(headers.host)) return false;
  if (headers.origin !== undefined && !LOOPBACK_ORIGIN.test(headers.origin)) return false;
  const { accept = "", "content-type": type = "" } = headers;
  return type.startsWith("application/json") && accept.includes("application/json") && accept.includes("event-stream");
}
