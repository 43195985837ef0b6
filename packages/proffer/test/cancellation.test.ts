import { expect, it } from "vitest";
import server from "./fixtures/features.ts";
import { countsOf, waitForCounts } from "./handler-counts.ts";
import { describeMatrix } from "./matrix.ts";
import { EVERY } from "./versions.ts";

describeMatrix({ server, module: "features.ts" }, EVERY, (leg) => {
  it("stops the handler, and nothing more is sent for the request", async () => {
    const client = await leg.connect();
    const before = await countsOf(client);
    const stop = new AbortController();
    const cancelled = client.call("wait", undefined, { signal: stop.signal, logLevel: "debug", onProgress: () => {} });
    await waitForCounts(client, { waiting: before.waiting + 1 });
    stop.abort(new Error("changed my mind"));
    await expect(cancelled).rejects.toThrow("changed my mind");
    await waitForCounts(client, { aborted: before.aborted + 1 });
    const received = client.transcript.messages("server").length;
    expect((await countsOf(client)).aborted).toBe(before.aborted + 1);
    expect(client.transcript.messages("server").length).toBe(received + 1);
    expect(client.transcript.toString()).not.toContain("nobody should hear this");
    expect(client.notifications).toEqual([]);
  });

  it.each([
    ["an unknown id", { requestId: 999_999 }],
    ["an id that was answered", { requestId: 1 }],
    ["an id of another type", { requestId: "2" }],
    ["no id", {}],
    ["an id that cannot be one", { requestId: { __proto__: null } }],
  ])("of %s does nothing", async (_what, params) => {
    leg.client.notify("notifications/cancelled", params);
    expect((await leg.client.call("echo", { text: "still here" })).content).toEqual([
      { type: "text", text: "still here" },
    ]);
  });

  it("twice is once, and the id may be used again", async () => {
    const client = await leg.connect();
    const before = await countsOf(client);
    const meta = JSON.parse(client.transcript.messages("client").at(-1) ?? "").params._meta;
    const message = (name: string) =>
      JSON.stringify({
        jsonrpc: "2.0",
        id: 0,
        method: "tools/call",
        params: { name, arguments: {}, ...(meta ? { _meta: meta } : {}) },
      });
    client.send(message("wait"));
    await waitForCounts(client, { waiting: before.waiting + 1 });
    client.notify("notifications/cancelled", { requestId: 0 });
    client.notify("notifications/cancelled", { requestId: 0 });
    await waitForCounts(client, { aborted: before.aborted + 1 });
    client.send(message("remember"));
    await expect.poll(() => client.transcript.messages("server").map((text) => JSON.parse(text).id)).toContain(0);
  });

  it("withdraws the questions that were asked meanwhile, where they were requests", async () => {
    const asks = leg.revision === "2025-06-18" || leg.revision === "2025-11-25";
    const client = await leg.connect({ answers: () => new Promise(() => {}) });
    const stop = new AbortController();
    const cancelled = client.call("greet", undefined, { signal: stop.signal });
    if (!asks) return void cancelled.catch(() => {});
    const questions = () =>
      client.transcript
        .messages("server")
        .map((text) => JSON.parse(text))
        .filter(({ method }) => method === "elicitation/create");
    await expect.poll(() => questions().length).toBe(1);
    stop.abort(new Error("never mind"));
    await expect(cancelled).rejects.toThrow("never mind");
    const { params } = await client.waitFor("notifications/cancelled");
    expect(params.requestId).toBe(questions()[0].id);
  });
});
