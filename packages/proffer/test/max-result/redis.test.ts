import { Redis } from "ioredis";
import { type CallResult, defineServer, defineTool, type Server } from "proffer";
import { redis } from "proffer/redis";
import { connect } from "proffer/testing";
import { afterAll, expect, it } from "vitest";
import { describeWithEngine, sharedEngine } from "../ports/engine.ts";
import { collect, cursorOf, sentenceOf, textsOf } from "./collect.ts";

const TEXT = "ein Wörtchen und ein 🐦\n".repeat(20_000);
const engine = await sharedEngine();
const prefix = `parts.${Math.random().toString(36).slice(2)}`;

describeWithEngine("large results on Redis", engine, ({ host, port }) => {
  const closing: (() => unknown)[] = [];
  afterAll(async () => {
    for (const close of closing.reverse()) await close();
  });

  function node(): Server {
    const client = new Redis({ host, port, maxRetriesPerRequest: 1 });
    const cluster = redis(client, { prefix, commandTimeout: 60_000 });
    closing.push(
      () => client.disconnect(),
      () => cluster.close?.(),
    );
    const tools = [defineTool({ name: "log", handle: () => TEXT })];
    const keys = [new Uint8Array(32).fill(7)];
    return defineServer({
      name: "parts",
      version: "1",
      keys,
      cluster,
      tools,
      maxResult: { bytes: 50_000 },
      log: () => {},
    });
  }

  it("one node cuts, and another returns the parts and the rest", async () => {
    const [one, two] = await Promise.all(
      [node(), node()].map((server) => connect(server, { principal: { id: "ada" } })),
    );
    const first = (await one?.call("log")) as CallResult;
    const cursor = cursorOf(first);
    expect(await two?.call("more", { cursor })).not.toHaveProperty("isError");
    const [uri = ""] = /proffer-result:\/\/[\w-]{16}/.exec(sentenceOf(first)) ?? [];
    const [shown] = first.content as readonly { text?: string }[];
    expect((await two?.read(uri))?.contents[0]?.text).toBe(TEXT.slice(shown?.text?.length));
    if (two !== undefined) expect(textsOf(await collect(two, "log")).join("")).toBe(TEXT);
    const eve = await connect(node(), { principal: { id: "eve" } });
    expect(await eve.call("more", { cursor })).toMatchObject({ isError: true });
    await Promise.all([one?.close(), two?.close(), eve.close()]);
  });
});
