import { defineResource, defineServer, type ListFunction, type Watch, type WatchEvents } from "proffer";
import { connect, type TestClient } from "proffer/testing";
import { describe, expect, it } from "vitest";

/** A watcher that the test controls, with a count of its runs. */
function fakeWatch() {
  const state = { starts: 0, running: 0, events: undefined as WatchEvents | undefined };
  const watch: Watch = (events) => {
    state.starts++;
    state.running++;
    state.events = events;
    return () => {
      state.running--;
    };
  };
  return { state, watch };
}

function serverOf(watch: Watch, list?: ListFunction) {
  return defineServer({
    name: "changes",
    version: "1",
    log: () => undefined,
    resources: [
      defineResource({
        uri: "n://{id}",
        name: "n",
        params: { id: /\d+/ },
        ...(list === undefined ? {} : { list }),
        watch,
        exists: async ({ id }) => Number(id) < 10,
        read: ({ id }) => id,
      }),
    ],
  });
}

function listen(client: TestClient, notifications: object, signal?: AbortSignal) {
  const done = client.requestOnce("subscriptions/listen", { notifications }, signal === undefined ? {} : { signal });
  return {
    done: done.catch((error) => error),
    acknowledged: client.waitFor("notifications/subscriptions/acknowledged"),
  };
}

/** Waits until pending notifications are sent. */
function settle(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, 5));
}

function updates(client: TestClient): unknown[] {
  return client.notifications.filter(({ method }) => method.endsWith("updated")).map(({ params }) => params.uri);
}

describe("a change", () => {
  it("reaches subscribers on every revision, once for many changes in one turn", async () => {
    const server = serverOf(fakeWatch().watch);
    const legacy = await connect(server, { revision: "2025-06-18" });
    const modern = await connect(server);
    await legacy.request("resources/subscribe", { uri: "n://1" });
    await listen(modern, { resourceSubscriptions: ["n://1", "n://2"] }).acknowledged;
    for (let times = 0; times < 5; times++) server.notify("n://1");
    server.notify("n://2");
    server.notify("n://3");
    await modern.waitFor("notifications/resources/updated", ({ params }) => params.uri === "n://2");
    expect(updates(legacy)).toEqual(["n://1"]);
    expect(updates(modern)).toEqual(["n://1", "n://2"]);
  });

  it("can cover all resources whose URIs start with a prefix", async () => {
    const server = serverOf(fakeWatch().watch);
    const client = await connect(server, { revision: "2025-11-25" });
    for (const uri of ["n://1", "n://2"]) await client.request("resources/subscribe", { uri });
    server.notify({ prefix: "n://2" });
    await settle();
    expect(updates(client)).toEqual(["n://2"]);
    server.notify({ prefix: "n://" });
    await settle();
    expect(updates(client)).toEqual(["n://2", "n://1", "n://2"]);
  });

  it("notifies subscribers of a URI with a query, with the URI that they sent", async () => {
    const server = defineServer({
      name: "changes",
      version: "1",
      resources: [defineResource({ uri: "q://{id}{?limit}", name: "q", read: ({ id }) => id })],
    });
    const legacy = await connect(server, { revision: "2025-06-18" });
    const modern = await connect(server);
    await legacy.request("resources/subscribe", { uri: "q://1?limit=5" });
    await listen(modern, { resourceSubscriptions: ["q://1?limit=6", "q://2?limit=5"] }).acknowledged;
    server.notify("q://1");
    await settle();
    expect(updates(legacy)).toEqual(["q://1?limit=5"]);
    expect(updates(modern)).toEqual(["q://1?limit=6"]);
  });

  it("does not notify clients that unsubscribed", async () => {
    const server = serverOf(fakeWatch().watch);
    const client = await connect(server, { revision: "2025-06-18" });
    await client.request("resources/subscribe", { uri: "n://1" });
    await client.request("resources/unsubscribe", { uri: "n://1" });
    server.notify("n://1");
    await settle();
    expect(updates(client)).toEqual([]);
  });
});

describe("a watcher", () => {
  it("runs from the first subscriber to the last", async () => {
    const { state, watch } = fakeWatch();
    const server = serverOf(watch);
    const legacy = await connect(server, { revision: "2025-06-18" });
    const modern = await connect(server);
    expect(state).toMatchObject({ starts: 0 });
    await legacy.request("resources/subscribe", { uri: "n://1" });
    await legacy.request("resources/subscribe", { uri: "n://1" });
    const stop = new AbortController();
    const { acknowledged, done } = listen(modern, { resourceSubscriptions: ["n://2"] }, stop.signal);
    await acknowledged;
    expect(state).toMatchObject({ starts: 1, running: 1 });
    await legacy.request("resources/unsubscribe", { uri: "n://1" });
    expect(state.running).toBe(1);
    stop.abort();
    await done;
    await settle();
    expect(state.running).toBe(0);
    await legacy.request("resources/subscribe", { uri: "n://1" });
    expect(state).toMatchObject({ starts: 2, running: 1 });
    await legacy.close();
    await settle();
    expect(state.running).toBe(0);
  });

  it("reports one resource, or all whose URIs start with a prefix", async () => {
    const { state, watch } = fakeWatch();
    const client = await connect(serverOf(watch), { revision: "2025-11-25" });
    for (const uri of ["n://1", "n://2"]) await client.request("resources/subscribe", { uri });
    state.events?.updated("n://2");
    await settle();
    state.events?.updated({ prefix: "n://" });
    await settle();
    expect(updates(client)).toEqual(["n://2", "n://1", "n://2"]);
  });

  it("of a list runs while a client listens to lists, and notifies it", async () => {
    const { state, watch } = fakeWatch();
    const server = serverOf(watch, () => []);
    const modern = await connect(server);
    expect(state.starts).toBe(0);
    const legacy = await connect(server, { revision: "2025-06-18" });
    const { acknowledged } = listen(modern, { resourcesListChanged: true });
    await acknowledged;
    expect(state).toMatchObject({ starts: 1, running: 1 });
    state.events?.listChanged();
    state.events?.listChanged();
    await modern.waitFor("notifications/resources/list_changed");
    await legacy.waitFor("notifications/resources/list_changed");
    server.resources.remove("n://{id}");
    expect(state.running).toBe(0);
    await legacy.close();
  });

  it("that starts slowly is stopped if all clients have left meanwhile", async () => {
    let stopped = 0;
    let start: (() => void) | undefined;
    const slow: Watch = () =>
      new Promise((resolve) => {
        start = () => resolve(() => stopped++);
      });
    const client = await connect(serverOf(slow), { revision: "2025-06-18" });
    await client.request("resources/subscribe", { uri: "n://1" });
    await client.request("resources/unsubscribe", { uri: "n://1" });
    start?.();
    await settle();
    expect(stopped).toBe(1);
  });

  it("that fails to start leaves the subscription in place", async () => {
    const server = serverOf(() => Promise.reject(new Error("no inotify")));
    const client = await connect(server, { revision: "2025-06-18" });
    await client.request("resources/subscribe", { uri: "n://1" });
    server.notify("n://1");
    await settle();
    expect(updates(client)).toEqual(["n://1"]);
  });
});

describe("a subscription", () => {
  it.each([
    ["x://1", /Resource not found: "x:\/\/1"/],
    ["n://x", /does not match/],
    ["n://99", /Resource not found: "n:\/\/99"/],
  ])("to %s, which does not exist, is rejected on every revision", async (uri, message) => {
    const server = serverOf(fakeWatch().watch);
    const legacy = await connect(server, { revision: "2025-06-18" });
    await expect(legacy.request("resources/subscribe", { uri })).rejects.toThrow(message);
    const modern = await connect(server);
    const refused = modern.request("subscriptions/listen", { notifications: { resourceSubscriptions: [uri] } });
    await expect(refused).rejects.toThrow(message);
  });

  it("is rejected beyond the limit", async () => {
    const server = defineServer({
      name: "changes",
      version: "1",
      limits: { subscriptions: 1 },
      resources: [defineResource({ uri: "n://{id}", name: "n", read: () => "" })],
    });
    const legacy = await connect(server, { revision: "2025-06-18" });
    await legacy.request("resources/subscribe", { uri: "n://1" });
    await expect(legacy.request("resources/subscribe", { uri: "n://2" })).rejects.toThrow(/the limit is 1 resources/);
    const modern = await connect(server);
    const listening = modern.request("subscriptions/listen", {
      notifications: { resourceSubscriptions: ["n://1", "n://2"] },
    });
    await expect(listening).rejects.toThrow(/the limit is 1 resources/);
  });
});
