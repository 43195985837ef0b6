import { defineResource, field, type LogEntry } from "proffer";
import { describe, expect, it } from "vitest";
import { as, openShop, REVISIONS } from "./shop.ts";

const askRevisions = REVISIONS.filter((revision) => revision >= "2025-06-18");

describe("the context of a read by a tool", () => {
  it.each(askRevisions)("asks the user on %s", async (revision) => {
    const runs: unknown[] = [];
    const box = defineResource({
      uri: "box://{id}",
      name: "box",
      read: async ({ id }, ctx) => {
        const stepped = await ctx.step("open", () => runs.push("step"));
        const answer = await ctx.ask("Sure?", { sure: field.boolean() });
        return { id, stepped, action: answer.action, uri: ctx.uri };
      },
    });
    const server = openShop({ resources: [box], middleware: (_, next) => next() });
    const answers = () => ({ action: "accept", content: { sure: true } }) as const;
    const client = await as(server, "Zed", { revision, answers, capabilities: { elicitation: { form: {} } } });
    const { content, isError } = await client.call("box", { id: "1" });
    expect({ content, isError }).toEqual({
      content: [{ type: "text", text: '{"id":"1","stepped":1,"action":"accept","uri":"box://1"}' }],
      isError: undefined,
    });
    expect(runs).toEqual(["step"]);
  });

  it("does not open the state of a question for other arguments", async () => {
    const box = defineResource({
      uri: "box://{id}",
      name: "box",
      read: async ({ id }, ctx) => `${id} ${(await ctx.ask("Sure?", { sure: field.boolean() })).action}`,
    });
    const answers = () => ({ action: "accept", content: { sure: true } }) as const;
    const client = await as(openShop({ resources: [box] }), "Zed", {
      revision: "2026-07-28",
      answers,
      capabilities: { elicitation: { form: {} } },
    });
    const rounds: { requestState?: unknown; inputRequests?: object }[] = [];
    await client.call("box", { id: "1" }, { onRound: (result) => void rounds.push(result) });
    const { requestState, inputRequests = {} } = rounds[0] ?? {};
    const inputResponses = Object.fromEntries(Object.keys(inputRequests).map((key) => [key, answers()]));
    const again = (id: string) =>
      client.request("tools/call", { name: "box", arguments: { id }, requestState, inputResponses });
    await expect(again("2")).rejects.toThrow("requestState is invalid");
    expect(await again("1")).toMatchObject({ content: [{ text: "1 accept" }] });
    await expect(client.request("resources/read", { uri: "box://1", requestState, inputResponses })).rejects.toThrow(
      "requestState is invalid",
    );
  });

  it.each(REVISIONS)("reports progress, and is aborted with the call, on %s", async (revision) => {
    let aborted: (reason: unknown) => void = () => undefined;
    const wasAborted = new Promise((resolve) => {
      aborted = resolve;
    });
    const slow = defineResource({
      uri: "slow://{id}",
      name: "slow",
      read: (_, ctx) => {
        ctx.progress(1, 2);
        ctx.signal.addEventListener("abort", () => aborted("aborted"));
        return new Promise(() => undefined);
      },
    });
    const client = await as(openShop({ resources: [slow] }), "Zed", { revision });
    const controller = new AbortController();
    const progress = new Promise((resolve) => {
      const call = client.call("slow", { id: "1" }, { signal: controller.signal, onProgress: resolve });
      call.catch(() => undefined);
    });
    expect(await progress).toMatchObject({ progress: 1, total: 2 });
    controller.abort();
    expect(await wasAborted).toBe("aborted");
  });

  it("has the time limit of list functions", async () => {
    const stuck = defineResource({
      uri: "a://{b}",
      name: "a",
      list: () => new Promise(() => undefined),
      read: () => "",
    });
    const server = openShop({ resources: [stuck], limits: { hookTimeout: 1 }, log: () => undefined });
    await expect((await as(server, "Zed")).call("list_a")).rejects.toMatchObject({
      code: -32603,
      message: "resources/list did not finish within 1 ms (limits.hookTimeout).",
    });
  });

  it("does not show unexpected exceptions, and logs them", async () => {
    const logged: LogEntry[] = [];
    const broken = defineResource({
      uri: "a://{b}",
      name: "a",
      read: () => {
        throw new Error("the password is 1234");
      },
    });
    const server = openShop({ resources: [broken], log: (entry) => void logged.push(entry) });
    expect(await (await as(server, "Zed")).call("a", { b: "1" })).toMatchObject({
      isError: true,
      content: [{ text: 'Tool "a" failed.' }],
    });
    expect(logged).toMatchObject([{ level: "error", error: { message: "the password is 1234" } }]);
  });
});
