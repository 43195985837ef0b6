import { randomUUID } from "node:crypto";
import { Redis } from "ioredis";
import type { Cluster } from "proffer";
import { serveHttp } from "proffer/http";
import { redis } from "proffer/redis";
import { afterAll, expect, it } from "vitest";
import { createUpstream } from "../fixtures/upstream.ts";
import { describeWithEngine, sharedEngine } from "../ports/engine.ts";
import { answers, cross } from "./journey.ts";

const closers: (() => unknown)[] = [];
afterAll(async () => {
  for (const close of closers.reverse()) await close();
});

describeWithEngine("parked calls on nodes that share a Redis", await sharedEngine(), ({ port }) => {
  it("go on at another node", async () => {
    const prefix = randomUUID();
    const node = (): Cluster => {
      const client = new Redis(port, "127.0.0.1");
      closers.push(() => client.disconnect());
      const ports = redis(client, { prefix, commandTimeout: 60_000 });
      return ports;
    };
    const { url, close } = await serveHttp(createUpstream(), { port: 0 });
    closers.push(close);
    const open = async () => {
      const more = { cluster: node(), keys: [new Uint8Array(32).fill(7)] };
      const opened = await cross(
        { upstream: url, behind: "2025-11-25", front: "2026-07-28", over: "http" },
        { answers },
        more,
      );
      closers.push(opened.close);
      return opened.client;
    };
    const [one, other] = [await open(), await open()];
    const call = { name: "up_ask_twice", arguments: {} };
    let result = await one.requestOnce("tools/call", call);
    for (const [client, word] of [
      [other, "a"],
      [one, "b"],
    ] as const) {
      const [key = ""] = Object.keys(result.inputRequests as object);
      const inputResponses = { [key]: { action: "accept", content: { word } } };
      result = await client.requestOnce("tools/call", { ...call, inputResponses, requestState: result.requestState });
    }
    expect(result).toMatchObject({ content: [{ text: "a b" }] });
  });
});
