import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, test } from "vitest";
import { openUrlLinks } from "../../src/inspector/connections/opener.ts";
import { createFileHandlers } from "../../src/inspector/file-handlers.ts";
import { Mask } from "../../src/inspector/record/mask.ts";
import { WireRecord } from "../../src/inspector/record/record.ts";
import { inspect } from "./page-client.ts";

const TOKEN = "tok-5f1e9c77a2";
const HEADERS = { authorization: `Bearer ${TOKEN}`, "x-tenant": "tenant-4711-secret" };

/** A server that repeats the headers of each request in its results, and refuses requests without them. */
async function startEcho(): Promise<{ url: string; close: () => void }> {
  const server = createServer(async (request, response) => {
    let body = "";
    for await (const chunk of request.setEncoding("utf8")) body += chunk;
    const { id, method, params } = JSON.parse(body || "{}");
    if (request.headers.authorization !== HEADERS.authorization) {
      response.writeHead(401).end();
      return;
    }
    const text = JSON.stringify(request.headers);
    const results: { readonly [method: string]: object } = {
      "server/discover": { supportedVersions: ["2026-07-28"], capabilities: { tools: {} }, instructions: text },
      "tools/list": { tools: [{ name: "echo", description: text, inputSchema: { type: "object" } }] },
      "tools/call": { content: [{ type: "text", text }], resultType: "complete" },
    };
    const result = results[method];
    const error = { code: -32601, message: `${method} is unknown: ${text}` };
    response.setHeader("content-type", "application/json").setHeader("set-cookie", "session=cookie-secret-1");
    response.end(JSON.stringify({ jsonrpc: "2.0", id, ...(result ? { result } : { error }), params }));
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/mcp`,
    close() {
      server.close();
      server.closeAllConnections();
    },
  };
}

test("I16 the secrets of the command line occur in no event, message, result or export", async () => {
  const echo = await startEcho();
  const target = { kind: "url", name: echo.url } as const;
  const { page, close } = await inspect({
    target,
    opener: openUrlLinks(echo.url, HEADERS, 1_000_000),
    record: new WireRecord(new Mask(HEADERS)),
    handlers: (inspector) => createFileHandlers(inspector, target, undefined),
  });
  const { offer } = await page.until("offer");
  expect(offer.items.map(({ key }) => key)).toEqual(["echo"]);
  const call = await page.call({ revision: "2026-07-28", method: "tools/call", params: { name: "echo" } });
  expect(JSON.stringify(call.result)).toContain("***");
  const { result } = await page.post("result", { id: call.id });
  const failed = await page.call({ revision: "2026-07-28", method: "prompts/get", params: { name: "x" } });
  expect(failed.error?.message).toContain("is unknown");
  const compared = await page.post("compare", {
    method: "tools/call",
    params: { name: "echo" },
    revisions: ["2026-07-28"],
  });
  const offered = await page.post("offer", { revision: "2026-07-28" });
  const exported = await page.post("export", {});
  expect(exported.text).toContain('"proffer":"recording"');
  const all = JSON.stringify([page.events, await page.messages(), result, compared, offered, exported]);
  for (const secret of [TOKEN, HEADERS["x-tenant"], "cookie-secret-1"])
    expect(all.includes(secret), secret).toBe(false);
  await close();
  echo.close();
});
