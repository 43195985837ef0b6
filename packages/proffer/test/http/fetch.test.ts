import { createFetchHandler, type FetchHandler } from "proffer/fetch";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { LEGACY, legacy, modern, modernHeaders, present } from "./http-client.ts";
import { openWorkshop, type Workshop } from "./workshop.ts";

let workshop: Workshop;
let handler: FetchHandler;
const url = "http://localhost/anywhere";

beforeEach(() => {
  workshop = openWorkshop();
  handler = createFetchHandler(workshop.server, { maxMessageBytes: 1000 });
});

afterEach(async () => {
  workshop.release();
  await handler.close();
});

function request(message: { method: string; params?: object }, init: RequestInit = {}): Request {
  const headers = { ...(present(modernHeaders(message)) as Record<string, string>), ...(init.headers as object) };
  return new Request(url, { method: "POST", body: JSON.stringify(message), ...init, headers });
}

const echo = modern("tools/call", { name: "echo", arguments: { message: "hi" } });
const tell = modern("tools/call", { name: "tell", arguments: {}, _meta: { progressToken: 1 } });

describe("the fetch handler", () => {
  it("answers with JSON", async () => {
    const response = await handler(request(echo));
    expect(response.status).toBe(200);
    expect(response.headers.get("content-type")).toBe("application/json");
    expect(await response.json()).toMatchObject({ id: 1, result: { content: [{ text: "hi" }] } });
    const fixed = await handler(request(modern("resources/read", { uri: "shop://fixed" })));
    expect(await fixed.json()).toMatchObject({ result: { contents: [{ text: "x".repeat(20_000) }] } });
  });

  it.each([
    ["localhost", "http://evil.example/mcp", 403],
    ["evil.example", "http://localhost/mcp", 403],
    ["localhost:80", "http://localhost/mcp", 200],
    ["127.0.0.1:3000", "http://[::1]/mcp", 200],
  ])("answers a request for %s at %s with %i", async (host, at, status) => {
    const headers = { ...(present(modernHeaders(echo)) as Record<string, string>), host };
    const response = await handler(new Request(at, { method: "POST", headers, body: JSON.stringify(echo) }));
    expect(response.status).toBe(status);
  });

  it("answers with a stream when a notification comes before the response", async () => {
    const response = await handler(request(tell));
    expect(response.headers.get("content-type")).toBe("text/event-stream");
    workshop.release();
    const text = await response.text();
    expect(text.match(/^event: message$/gm)).toHaveLength(3);
    expect(text).toContain('"told"');
  });

  it("cancels the call when the body is cancelled or the request aborted", async () => {
    const response = await handler(request(tell));
    await response.body?.cancel();
    await workshop.stopped;
    const other = openWorkshop();
    const second = createFetchHandler(other.server);
    const abort = new AbortController();
    void second(request(modern("tools/call", { name: "wait", arguments: {} }), { signal: abort.signal }));
    await expect.poll(() => other.begun.get("wait")).toBe(1);
    abort.abort();
    await other.stopped;
    other.release();
  });

  it("rejects foreign hosts and origins", async () => {
    const foreign = new Request("http://evil.com/mcp", request(echo));
    expect((await handler(foreign)).status).toBe(403);
    expect((await handler(request(echo, { headers: { origin: "http://evil.com" } }))).status).toBe(403);
    expect((await handler(request(echo, { headers: { host: "evil.com" } }))).status).toBe(403);
  });

  it("rejects the same bodies as the Node handler", async () => {
    const big = "x".repeat(1001);
    const stream = () => new Blob([big]).stream();
    expect((await handler(request(echo, { body: big }))).status).toBe(413);
    expect((await handler(request(echo, { body: stream(), duplex: "half" } as RequestInit))).status).toBe(413);
    expect((await handler(request(echo, { body: big, headers: { "content-length": "5000" } }))).status).toBe(413);
    expect((await handler(request(echo, { body: new Uint8Array([0xff, 0xfe]) }))).status).toBe(400);
    expect((await handler(request(echo, { body: "" }))).status).toBe(400);
    expect((await handler(request(echo, { headers: { "content-type": "text/plain" } }))).status).toBe(415);
  });

  it("reads no more than the limit behind a small content-length", async () => {
    let read = 0;
    const large = new ReadableStream<Uint8Array>({
      pull(stream) {
        read += 500;
        stream.enqueue(new Uint8Array(500));
        if (read === 100_000) stream.close();
      },
      cancel: () => new Promise(() => {}),
    });
    const init = { body: large, duplex: "half", headers: { "content-length": "10" } };
    expect((await handler(request(echo, init as RequestInit))).status).toBe(413);
    expect(read).toBeLessThan(5000);
  });

  it("keeps sessions, and streams their notifications", async () => {
    const initialize = legacy("initialize", { protocolVersion: LEGACY, capabilities: {} });
    const json = { "content-type": "application/json", accept: "application/json, text/event-stream" };
    const opened = await handler(new Request(url, { method: "POST", headers: json, body: JSON.stringify(initialize) }));
    const session = { ...json, "mcp-session-id": opened.headers.get("mcp-session-id") as string };
    const ready = JSON.stringify({ jsonrpc: "2.0", method: "notifications/initialized" });
    expect((await handler(new Request(url, { method: "POST", headers: session, body: ready }))).status).toBe(202);
    const stream = await handler(new Request(url, { headers: session }));
    workshop.server.tools.remove("echo");
    const reader = (stream.body as ReadableStream<Uint8Array>)
      .pipeThrough(new TextDecoderStream() as never)
      .getReader();
    let text = "";
    while (!text.includes("notifications/tools/list_changed")) text += (await reader.read()).value ?? "";
    await reader.cancel();
    expect((await handler(new Request(url, { method: "DELETE", headers: session }))).status).toBe(204);
    expect((await handler(new Request(url, { method: "DELETE", headers: session }))).status).toBe(404);
  });

  it("ends its streams when closed", async () => {
    const listen = modern("subscriptions/listen", { notifications: { toolsListChanged: true } });
    const responses = await Promise.all(Array.from({ length: 50 }, () => handler(request(listen))));
    await handler.close();
    for (const response of responses) expect(await response.text()).toContain('"resultType":"complete"');
    expect((await handler(request(echo))).status).toBe(503);
  });
});
