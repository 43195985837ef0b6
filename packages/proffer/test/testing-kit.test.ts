import { defineServer, defineTool, field } from "proffer";
import { connect, connectOver, RemoteError, Transcript } from "proffer/testing";
import { describe, expect, expectTypeOf, it } from "vitest";
import { z } from "zod";
import { connectMemory } from "../src/transports/memory.ts";
import server from "./fixtures/features.ts";
import { EVERY } from "./versions.ts";

describe("connect", () => {
  it("uses the newest revision by default", async () => {
    expect((await connect(server)).revision).toBe("2026-07-28");
    for (const revision of EVERY) {
      const { structuredContent, content } = await (await connect(server, { revision })).call("client");
      const described = structuredContent ?? JSON.parse((content[0] as { text: string }).text);
      expect(described).toMatchObject({ revision, info: { name: "proffer-testing" } });
    }
  });

  it("rejects an unknown revision", async () => {
    await expect(connect(server, { revision: "2020-01-01" })).rejects.toThrow("Unknown protocol revision 2020-01-01.");
  });

  it("passes the principal and the capabilities to the server", async () => {
    const whoami = defineTool({
      name: "whoami",
      handle: (_, { principal, client }) => [principal?.id, client.capabilities],
    });
    const own = defineServer({ name: "s", version: "1", tools: [whoami] });
    const client = await connect(own, { principal: { id: "ada" }, capabilities: { roots: {} } });
    expect((await client.call(whoami)).content).toEqual([{ type: "text", text: '["ada",{"roots":{}}]' }]);
  });
});

describe("call", () => {
  const twice = defineTool({
    name: "twice",
    input: z.object({ n: z.number() }),
    output: z.object({ n: z.number() }),
    handle: ({ n }) => ({ n: 2 * n }),
  });
  const nothing = defineTool({ name: "nothing", handle: () => {} });
  const own = defineServer({ name: "s", version: "1", tools: [twice, nothing] });

  it("has the types of the tool", async () => {
    const client = await connect(own);
    const { structuredContent } = await client.call(twice, { n: 21 });
    expectTypeOf(structuredContent).toEqualTypeOf<{ n: number } | undefined>();
    expect(structuredContent).toEqual({ n: 42 });
    // @ts-expect-error -- n must be a number
    expect((await client.call(twice, { n: "many" })).isError).toBe(true);
    await client.call(nothing);
  });

  it("accepts any input for a tool by name", async () => {
    const client = await connect(own);
    expect((await client.call("twice", { n: [] })).isError).toBe(true);
    expect((await client.call("nothing")).content).toEqual([]);
  });

  it("rejects with the server's error", async () => {
    const error = await (await connect(own)).call("unknown").catch((thrown) => thrown);
    expect(error).toBeInstanceOf(RemoteError);
    expect(error).toMatchObject({ name: "RemoteError", code: -32602 });
  });
});

describe("answers", () => {
  const asks = defineTool({
    name: "asks",
    handle: async (_, ctx) => {
      const first = await ctx.ask("First?", { value: field.text() });
      const second = await ctx.ask("Second?", { value: field.text({ optional: true }) });
      return JSON.stringify([first, second]);
    },
  });
  const own = defineServer({ name: "s", version: "1", tools: [asks], log: () => {} });

  describe.each(["2025-06-18", "2025-11-25", "2026-07-28"])("in %s", (revision) => {
    it("are used in the order of the questions", async () => {
      const client = await connect(own, { revision, answers: [{ value: "a" }, "decline"] });
      expect((await client.call(asks)).content).toEqual([
        { type: "text", text: '[{"action":"accept","content":{"value":"a"}},{"action":"decline"}]' },
      ]);
    });

    it("can come from an asynchronous function of the question", async () => {
      const answers = async ({ params }: { params: { message?: unknown } }) =>
        params.message === "First?" ? { action: "accept", content: { value: "x" } } : ("cancel" as const);
      const client = await connect(own, { revision, answers });
      expect((await client.call(asks)).content).toEqual([
        { type: "text", text: '[{"action":"accept","content":{"value":"x"}},{"action":"cancel"}]' },
      ]);
    });
  });

  it("that are missing are reported", async () => {
    await expect((await connect(own)).call(asks)).rejects.toThrow(
      /the client has no answer for it\. Add one to the answers option/,
    );
  });

  it("are requested one round at a time by requestOnce", async () => {
    const client = await connect(own);
    const question = await client.requestOnce("tools/call", { name: "asks" });
    expect(question).toMatchObject({ resultType: "input_required", requestState: expect.any(String) });
  });
});

describe("notifications", () => {
  it("are returned once each by waitFor, whether they arrived before or arrive later", async () => {
    const client = await connect(server);
    await client.call("count", { to: 2 }, { onProgress: () => {} });
    const progressOf = async () => (await client.waitFor("notifications/progress")).params.progress;
    expect([await progressOf(), await progressOf()]).toEqual([1, 2]);
    const [third, fourth] = [progressOf(), progressOf()];
    await client.call("count", { to: 2 }, { onProgress: () => {} });
    expect([await third, await fourth]).toEqual([1, 2]);
    expect(client.notifications).toHaveLength(4);
  });

  it("are selected by a predicate", async () => {
    const client = await connect(server);
    const second = client.waitFor("notifications/progress", ({ params }) => params.progress === 2);
    await client.call("count", { to: 3 }, { onProgress: () => {} });
    expect((await second).params.progress).toBe(2);
    expect((await client.waitFor("notifications/progress")).params.progress).toBe(1);
    expect((await client.waitFor("notifications/progress")).params.progress).toBe(3);
  });

  it.each(EVERY)(
    "of changes are requested by listen in %s, which rejects for an unknown resource",
    async (revision) => {
      const client = await connect(server, { revision });
      await expect(client.listen({ uris: ["features://nowhere"] })).rejects.toThrow(/features:\/\/nowhere/);
      const stop = await client.listen({ lists: ["tools"], uris: ["features://motto"] });
      server.notify("features://motto");
      await client.waitFor("notifications/resources/updated");
      await stop.close();
    },
  );
});

describe("a request", () => {
  it("is not sent if its signal is already aborted", async () => {
    const client = await connect(server);
    const sent = client.transcript.messages("client").length;
    const signal = AbortSignal.abort(new Error("too late"));
    await expect(client.call("echo", { text: "x" }, { signal })).rejects.toThrow("too late");
    expect(client.transcript.messages("client").length).toBe(sent);
  });

  it("ignores an abort after its response", async () => {
    const client = await connect(server);
    const stop = new AbortController();
    await client.call("echo", { text: "x" }, { signal: stop.signal });
    const sent = client.transcript.messages("client").length;
    stop.abort();
    expect(client.transcript.messages("client").length).toBe(sent);
  });

  it("is rejected when the client is closed", async () => {
    const client = await connect(server);
    const waiting = client.call("wait");
    await client.close();
    await expect(waiting).rejects.toThrow("The client was closed.");
  });
});

describe("a transcript", () => {
  it("has the messages of both sides in order, as text and as a list", async () => {
    const client = await connect(server, { revision: "2025-11-25" });
    await client.request("ping");
    expect(
      client.transcript
        .toString()
        .split("\n")
        .map((line) => line.slice(0, 16)),
    ).toEqual(['→ {"jsonrpc":"2.', '← {"jsonrpc":"2.', '→ {"jsonrpc":"2.', '→ {"jsonrpc":"2.', '← {"jsonrpc":"2.']);
    expect(client.transcript).toBeInstanceOf(Transcript);
    expect(client.transcript.messages("server").at(-1)).toBe('{"jsonrpc":"2.0","id":2,"result":{}}');
    expect(client.transcript.messages()).toHaveLength(5);
  });

  it("includes raw texts that no client should send", async () => {
    const client = await connect(server);
    client.send("not even JSON");
    await expect.poll(() => client.transcript.messages("server").at(-1)).toContain("-32700");
  });

  it("stays empty with keepsMessages: false, like the notifications", async () => {
    const seen: string[] = [];
    const client = await connect(server, { keepsMessages: false, onNotification: ({ method }) => seen.push(method) });
    expect(client.opened).toMatchObject({ supportedVersions: ["2026-07-28"] });
    const close = await client.listen({ lists: ["tools"] });
    await close.close();
    expect(seen).toEqual(["notifications/subscriptions/acknowledged"]);
    expect([client.notifications, client.transcript.messages()]).toEqual([[], []]);
  });
});

describe("connectOver", () => {
  it("runs the same client over a custom transport", async () => {
    const carried: string[] = [];
    let closed = false;
    const client = await connectOver(
      (receive) => {
        const connection = connectMemory(server, receive);
        return {
          send: (text) => {
            carried.push(text);
            connection.send(text);
          },
          close: async () => {
            connection.close();
            closed = true;
          },
        };
      },
      { revision: "2025-06-18" },
    );
    expect((await client.call("echo", { text: "carried" })).content).toEqual([{ type: "text", text: "carried" }]);
    expect(carried).toEqual(client.transcript.messages("client"));
    await client.close();
    expect(closed).toBe(true);
  });
});
