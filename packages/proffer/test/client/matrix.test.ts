import { type Client, type ConnectOptions, connect } from "proffer/client";
import { serveHttp } from "proffer/http";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { bundleFixture } from "../fixture-process.ts";
import server from "../fixtures/features.ts";
import { EVERY, LEGACY, MODERN } from "../versions.ts";

type Connect = (options: ConnectOptions) => Promise<Client>;

/** How to reach the server over each transport, and how to end it. */
const TRANSPORTS: { readonly [name: string]: () => Promise<{ connect: Connect; close(): Promise<unknown> }> } = {
  "in process": async () => ({ connect: (options) => connect(server, options), close: async () => {} }),
  HTTP: async () => {
    const { url, close } = await serveHttp(server, { port: 0 });
    return { connect: (options) => connect(url, options), close };
  },
  stdio: async () => {
    const { path, remove } = await bundleFixture("features.ts");
    const env = { ...process.env, PROFFER_KEYS: Buffer.alloc(32, 1).toString("base64") };
    return { connect: (options) => connect({ command: process.execPath, args: [path], env }, options), close: remove };
  },
};

describe.each(Object.entries(TRANSPORTS))("%s", (transport, serve) => {
  let open: Connect;
  let close: () => Promise<unknown>;
  beforeAll(async () => {
    ({ connect: open, close } = await serve());
  });
  afterAll(() => close());

  it("finds the newest revision", async () => {
    await using client = await open({});
    expect(client.revision).toBe(MODERN.at(-1));
  });

  describe.each(EVERY)("on %s", (revision) => {
    let client: Client;
    const roots = [{ uri: "file:///work" }];
    beforeAll(async () => {
      client = await open({ revision, roots, answers: [{ name: "Ada" }, "decline"] });
    });
    afterAll(() => client.close());

    it("knows the server", () => {
      expect(client.revision).toBe(revision);
      expect(client.serverInfo).toMatchObject({ name: "features", version: "1.2.3" });
      expect(client.instructions).toBe("Try everything.");
      expect(client.capabilities).toMatchObject({ tools: {}, prompts: {}, resources: {} });
    });

    it("calls, reads, gets and completes", async () => {
      expect((await client.call("echo", { text: "ü" })).content).toEqual([{ type: "text", text: "ü" }]);
      expect((await client.read("features://computed")).contents).toMatchObject([{ text: "fresh" }]);
      const { messages } = await client.get("describe", { bird: "owl" });
      expect(messages).toMatchObject([{ content: { text: "Describe the owl in a neutral tone." } }]);
      expect(await client.complete({ type: "ref/prompt", name: "describe" }, "bird", "e")).toEqual(["eagle", "emu"]);
    });

    it("iterates over pages, each when it is wanted", async () => {
      const pages = client.pages("prompts");
      const { value: first } = await pages.next();
      expect(first?.map(({ name }) => name)).toEqual(["describe", "p1", "p2", "p3"]);
      expect((await client.listPrompts()).map(({ name }) => name)).toEqual(["describe", "p1", "p2", "p3", "p4", "p5"]);
    });

    it("reports progress, and rejects with the error of the server", async () => {
      const seen: unknown[] = [];
      await client.call("count", { to: 3 }, { onProgress: ({ progress }) => seen.push(progress) });
      expect(seen).toEqual([1, 2, 3]);
      await expect(client.call("none")).rejects.toMatchObject({ name: "RemoteError", code: -32602 });
    });

    it("cancels by a signal, which the handler sees", async () => {
      const aborted = async () => JSON.parse(((await client.call("seen")).content[0] as { text: string }).text);
      const before = await aborted();
      const stop = new AbortController();
      const waiting = client.call("wait", {}, { signal: stop.signal });
      const rejected = expect(waiting).rejects.toThrow("enough");
      await expect.poll(async () => (await aborted()).waiting).toBe(before.waiting + 1);
      stop.abort(new Error("enough"));
      await rejected;
      await expect.poll(async () => (await aborted()).aborted).toBe(before.aborted + 1);
    });

    it("ends a call after its time limit", async () => {
      await expect(client.call("wait", {}, { timeout: 30 })).rejects.toMatchObject({ kind: "timeout" });
    });

    it("receives changes until the subscription is closed", async () => {
      const uri = "features://motto";
      const subscription = await client.listen({ uris: [uri], lists: ["tools"] });
      const changes = subscription[Symbol.asyncIterator]();
      const next = changes.next();
      // The stream of a session may be opened after the first change.
      const timer = setInterval(() => void client.call("touch", { uri }), 20);
      expect((await next).value).toMatchObject({ method: "notifications/resources/updated", params: { uri } });
      clearInterval(timer);
      await subscription.close();
      for await (const { method } of subscription) expect(method).toBe("notifications/resources/updated");
    });

    it.runIf(revision >= "2025-06-18")("answers questions", async () => {
      const text = async () => ((await client.call("greet")).content[0] as { text: string }).text;
      expect([await text(), await text()]).toEqual(["Hello, Ada!", "No name provided."]);
    });

    it("is told of log messages", async () => {
      const levels: unknown[] = [];
      const onNotification = ({ method, params }: { method: string; params: { level?: unknown } }) => {
        if (method === "notifications/message") levels.push(params.level);
      };
      await using listener = await open({ revision, logLevel: "error", onNotification });
      await listener.call("chatter");
      await expect.poll(() => levels.slice(0, 4)).toEqual(["error", "critical", "alert", "emergency"]);
    });
  });

  it.each(LEGACY)("keeps nothing that the server does not allow on %s", async (revision) => {
    await using client = await open({ revision });
    const list = async () => (await client.pages("tools").next()).value;
    expect(await list()).not.toBe(await list());
  });

  it.runIf(transport === "in process")("keeps lists for as long as the server allows, and drops them", async () => {
    await using client = await open({});
    const names = async () => (await client.listPrompts()).map(({ name }) => name);
    const before = await names();
    await client.call("add", { kind: "prompt", name: "kept" });
    expect(await names()).toEqual(before);
    await using fresh = await open({ cache: false });
    expect((await fresh.listPrompts()).map(({ name }) => name)).toContain("kept");
    const subscription = await client.listen({ lists: ["prompts"] });
    await client.call("remove", { kind: "prompt", name: "kept" });
    for await (const { method } of subscription) {
      expect(method).toBe("notifications/prompts/list_changed");
      break;
    }
    await client.call("add", { kind: "prompt", name: "later" });
    await expect.poll(names).toContain("later");
    await client.call("remove", { kind: "prompt", name: "later" });
    await subscription.close();
  });
});
