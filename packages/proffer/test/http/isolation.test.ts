import { setImmediate as turn } from "node:timers/promises";
import { defineServer, defineTool } from "proffer";
import { serveHttp } from "proffer/http";
import { connect } from "proffer/testing";
import { describe, expect, it } from "vitest";
import { connectMemory } from "../../src/transports/memory.ts";
import { type Headers, legacy, modern, modernHeaders, openSession, post, postModern } from "./http-client.ts";

/** `npm run soak` has more clients and more calls. */
const CLIENTS = Number(process.env.PROFFER_CLIENTS ?? 100);
const CALLS = Number(process.env.PROFFER_CALLS ?? 5000);
/** A call over a kept connection in memory costs a tenth of one over HTTP. */
const KEPT_CALLS = 10 * CALLS;

const keeper = defineServer({
  name: "keeper",
  version: "1",
  tools: [
    defineTool({
      name: "keep",
      input: {
        type: "object",
        properties: { secret: { type: "string" }, turns: { type: "integer" } },
        required: ["secret", "turns"],
      } as const,
      async handle({ secret, turns }, ctx) {
        for (let done = 0; done < turns; done++) {
          ctx.progress(done, turns, secret);
          ctx.log("info", secret);
          await turn();
        }
        return secret;
      },
    }),
    defineTool({
      name: "say",
      input: { type: "object", properties: { secret: { type: "string" } }, required: ["secret"] } as const,
      handle: ({ secret }) => secret,
    }),
  ],
});

describe("many clients at once", () => {
  it("two requests with the same id get their own responses", async () => {
    const service = await serveHttp(keeper, { port: 0 });
    const calls = Array.from({ length: 500 }, async (_, at) => {
      const secret = `secret-${at}`;
      const message = modern("tools/call", { name: "keep", arguments: { secret, turns: at % 2 === 0 ? 0 : 5 } });
      const { json } = await postModern(service.url, message);
      expect(json).toMatchObject({ id: 1, result: { content: [{ text: secret }] } });
    });
    await Promise.all(calls);
    await service.close();
  });

  it(`${CLIENTS} clients with equal ids and tokens receive no foreign data in ${CALLS} calls`, {
    timeout: 7_200_000,
  }, async () => {
    const service = await serveHttp(keeper, { port: 0 });
    let calls = 0;
    const client = async (number: number) => {
      const secret = `secret-${number}-${Math.random().toString(36).slice(2)}`;
      const session: Headers | undefined = number % 3 === 0 ? await openSession(service.url) : undefined;
      while (calls < CALLS) {
        calls++;
        const turns = calls % 4;
        const streams = turns > 0 && calls % 5 === 0;
        const _meta = streams ? { progressToken: "p", "io.modelcontextprotocol/logLevel": "info" } : {};
        const params =
          turns === 0
            ? { name: "say", arguments: { secret }, _meta }
            : { name: "keep", arguments: { secret, turns }, _meta };
        const newer = modern("tools/call", params);
        const { status, body } = session
          ? await post(service.url, legacy("tools/call", params), session)
          : await post(service.url, newer, modernHeaders(newer));
        const secrets = new Set(body.match(/secret-\d+-\w+/g));
        if (status !== 200 || secrets.size !== 1 || !secrets.has(secret))
          throw new Error(`${secret} got ${status} ${body}`);
      }
    };
    await Promise.all(Array.from({ length: CLIENTS }, (_, number) => client(number)));
    expect(calls).toBeGreaterThanOrEqual(CALLS);
    await service.close();
  });

  it.each([
    ["different ids", (client: number, call: number) => `${client}-${call}`],
    ["equal ids and tokens", () => "1"],
  ])(`${CLIENTS} kept connections with %s receive no foreign data in ${KEPT_CALLS} calls`, async (_, idOf) => {
    let calls = 0;
    let messages = 0;
    const client = async (number: number) => {
      const secret = `secret-${number}-${Math.random().toString(36).slice(2)}.`;
      let answer: (text: string) => void = () => {};
      const { send, close } = connectMemory(keeper, (text) => {
        messages++;
        const secrets = text.match(/secret-[^"]*/g) ?? [];
        if (secrets.some((each) => each !== secret)) throw new Error(`${secret} got ${text}`);
        if (text.includes('"id":')) answer(text);
      });
      const request = (id: string, method: string, params: object) =>
        new Promise<string>((resolve) => {
          answer = resolve;
          send(JSON.stringify({ jsonrpc: "2.0", id, method, params }));
        });
      // Half of the clients keep a session, the others name the revision in each request.
      const info = { capabilities: {}, clientInfo: { name: "test", version: "1" } };
      if (number % 2 === 0) {
        await request("0", "initialize", { protocolVersion: "2025-11-25", ...info });
        await request("0", "logging/setLevel", { level: "info" });
      }
      while (calls < KEPT_CALLS) {
        const id = idOf(number, calls++);
        const turns = calls % 8 === 0 ? calls % 3 : 0;
        const params = { name: "keep", arguments: { secret, turns }, _meta: { progressToken: id } };
        const sent = number % 2 === 0 ? params : withLevel(modern("tools/call", params).params);
        const text = await request(id, "tools/call", sent);
        if (!text.includes(`"id":"${id}"`) || !text.includes(`"${secret}"`)) throw new Error(`${secret} got ${text}`);
      }
      close();
    };
    await Promise.all(Array.from({ length: CLIENTS }, (_, number) => client(number)));
    // Each call has an answer, and some have progress and log messages before it.
    expect(messages).toBeGreaterThan(KEPT_CALLS);
  });

  it("one server serves two transports at once", async () => {
    const [one, two] = [await serveHttp(keeper, { port: 0 }), await serveHttp(keeper, { port: 0 })];
    const memory = await connect(keeper);
    const say = (secret: string) => modern("tools/call", { name: "say", arguments: { secret } });
    const [first, second, third] = await Promise.all([
      postModern(one.url, say("a")),
      postModern(two.url, say("b")),
      memory.call("say", { secret: "c" }),
    ]);
    expect([first.json.result.content[0].text, second.json.result.content[0].text]).toEqual(["a", "b"]);
    expect(third.content).toMatchObject([{ text: "c" }]);
    await Promise.all([one.close(), two.close(), memory.close()]);
  });
});

/** Asks for log messages, as 2026-07-28 requires in each request. */
function withLevel<Params extends { readonly _meta: object }>(params: Params): Params {
  return { ...params, _meta: { ...params._meta, "io.modelcontextprotocol/logLevel": "info" } };
}
