import { defineResource, defineServer, defineTool, type Server } from "proffer";
import { type HttpService, serveHttp } from "proffer/http";
import { afterEach, describe, expect, it } from "vitest";
import { openEvents } from "../http/event-client.ts";
import { legacy, modern, modernHeaders, openSession, post, postModern } from "../http/http-client.ts";

let service: HttpService;
afterEach(() => service.close());

/** Serves a caller whose permission ends soon, at a time that the test chooses. */
async function serveUntil(expires: () => number, scopes: () => string[] = () => ["x"]): Promise<Server> {
  const server = defineServer({
    name: "a",
    version: "1",
    tools: [
      defineTool({
        name: "long",
        handle: async (_, ctx) => {
          ctx.progress(1);
          await new Promise((resolve) => setTimeout(resolve, expires() - Date.now() + 1500));
          return "finished";
        },
      }),
    ],
    resources: [
      defineResource({ uri: "a://b", name: "B", scopes: ["x"], content: "b" }),
      defineResource({ uri: "a://c{?raw}", name: "C", paramScopes: { raw: ["x"] }, read: () => "c" }),
    ],
  });
  service = await serveHttp(server, {
    port: 0,
    legacySse: true,
    authenticate: () => ({ id: "ada", scopes: scopes(), expires: expires() }),
  });
  return server;
}

describe("when the token of a caller ends", () => {
  it("streams that wait for changes end, and calls in flight finish", async () => {
    const end = Date.now() + 1000;
    await serveUntil(() => end);
    const session = await openSession(service.url);
    const standing = await openEvents(service.url, { headers: session });
    const pair = await openEvents(`${service.url}/sse`);
    const listen = modern("subscriptions/listen", { notifications: { resourceSubscriptions: ["a://b"] } });
    const listening = await openEvents(service.url, { headers: modernHeaders(listen), message: listen });
    const long = modern("tools/call", { name: "long", _meta: { progressToken: 1 } });
    const calling = await openEvents(service.url, { headers: modernHeaders(long), message: long });
    await Promise.all([standing.ended, pair.ended, listening.ended]);
    expect(Date.now()).toBeGreaterThanOrEqual(end);
    expect(listening.messages.at(-1)).toMatchObject({ id: 1, result: { resultType: "complete" } });
    await calling.ended;
    expect(calling.messages.at(-1).result.content[0].text).toBe("finished");
  });

  it("a session goes on with the next token of the same caller", async () => {
    let end = Date.now() + 500;
    await serveUntil(() => end);
    const session = await openSession(service.url);
    const first = await openEvents(service.url, { headers: session });
    await first.ended;
    end = Date.now() + 60_000;
    const second = await openEvents(service.url, { headers: session });
    expect((await post(service.url, legacy("ping"), session)).status).toBe(200);
    second.close();
  });
});

describe("a subscription", () => {
  it.each([
    ["the scopes", "a://b"],
    ["a scope of a parameter", "a://c?raw=1"],
  ])("gets no updates once a newer token of its session lacks %s", async (_, uri) => {
    let scopes = ["x"];
    const server = await serveUntil(
      () => Date.now() + 60_000,
      () => scopes,
    );
    const session = await openSession(service.url);
    const events = await openEvents(service.url, { headers: session });
    await post(service.url, legacy("resources/subscribe", { uri }), session);
    server.notify(uri);
    const isUpdate = ({ method }: { method?: string }) => method === "notifications/resources/updated";
    await events.message(isUpdate);
    scopes = [];
    await post(service.url, legacy("ping"), session);
    server.notify(uri);
    await post(service.url, legacy("ping"), session);
    server.tools.remove("long");
    await events.message(({ method }) => method === "notifications/tools/list_changed");
    expect(events.messages.filter(isUpdate)).toHaveLength(1);
    scopes = ["x"];
    await post(service.url, legacy("ping"), session);
    server.notify(uri);
    await expect.poll(() => events.messages.filter(isUpdate)).toHaveLength(2);
    events.close();
  });
});

describe("a caller without an end", () => {
  it("keeps its streams", async () => {
    await serveUntil(() => Number.MAX_SAFE_INTEGER);
    const session = await openSession(service.url);
    const events = await openEvents(service.url, { headers: session });
    const { status } = await postModern(service.url, modern("tools/list"));
    expect(status).toBe(200);
    events.close();
  });
});
