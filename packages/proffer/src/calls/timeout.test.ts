import { describe, expect, it } from "vitest";
import type { Context } from "../questions/context.ts";
import { field } from "../questions/fields.ts";
import { defineServer } from "../server/server.ts";
import { connect } from "../testing/connect.ts";
import { defineTool, type Tool } from "../tools/define.ts";

const late = { isError: true, content: [{ type: "text", text: "The tool did not finish within 20 ms." }] };

function serve(...tools: Tool[]) {
  return defineServer({ name: "s", version: "1", tools, log: () => {} });
}

describe("a tool with a timeout", () => {
  it("is answered when the time is up, and its signal is aborted", async () => {
    let context: Context | undefined;
    const handle = (_input: unknown, ctx: Context) => {
      context = ctx;
      return new Promise(() => {});
    };
    const client = await connect(serve(defineTool({ name: "t", timeout: 20, handle })));
    expect(await client.call("t")).toMatchObject(late);
    expect(context?.signal.aborted).toBe(true);
    expect(context?.signal.reason).toMatchObject({ name: "AbortError" });
  });

  it.each([
    ["result", (finish: () => void) => new Promise((resolve) => finishLater(finish, () => resolve("too late")))],
    [
      "rejection",
      (finish: () => void) => new Promise((_, reject) => finishLater(finish, () => reject(new Error("x")))),
    ],
  ])("ignores a late %s", async (_what, work) => {
    let finish = () => {};
    const finished = new Promise<void>((resolve) => {
      finish = resolve;
    });
    const client = await connect(serve(defineTool({ name: "t", timeout: 20, handle: () => work(finish) })));
    expect(await client.call("t")).toMatchObject(late);
    await finished;
    await client.request("server/discover");
    // The handshake, the failure and the request after it: nothing in between.
    expect(client.transcript.messages("server")).toHaveLength(3);
  });

  it("does not delay a handler that finishes in time", async () => {
    const handle = async () => "in time";
    const client = await connect(serve(defineTool({ name: "t", timeout: 2 ** 31 - 1, handle })));
    expect(await client.call("t")).toMatchObject({ content: [{ text: "in time" }] });
  });

  it("does not count the time that the user needs to answer", async () => {
    const handle = async (_input: unknown, ctx: Context) => {
      const answer = await ctx.ask("Ready?", { ready: field.boolean() });
      return answer.action;
    };
    const answers = () => new Promise<{ ready: boolean }>((resolve) => setTimeout(resolve, 100, { ready: true }));
    const server = serve(defineTool({ name: "t", timeout: 20, handle }));
    const client = await connect(server, { revision: "2025-11-25", answers });
    expect(await client.call("t")).toMatchObject({ content: [{ text: "accept" }] });
  });

  it.each([0, -1, Number.NaN, Number.POSITIVE_INFINITY, "1000", null])(
    "rejects a timeout of %j milliseconds",
    (timeout) => {
      expect(() => defineTool({ name: "t", timeout: timeout as number, handle: () => "" })).toThrow(
        expect.objectContaining({ code: "bad_option", message: expect.stringContaining('Tool "t": timeout') }),
      );
    },
  );
});

function finishLater(finish: () => void, settle: () => void): void {
  setTimeout(() => {
    settle();
    finish();
  }, 60);
}
