import { setTimeout as delay } from "node:timers/promises";
import fc from "fast-check";
import { type Context, defineServer, defineTool, field } from "proffer";
import { connect, findRepeats, type TestClient } from "proffer/testing";
import { afterEach, beforeEach, describe, expect, it } from "vitest";

type Handle = (ctx: Context) => unknown;

const KEY = new Uint8Array(32).fill(7);
const YES_NO = { yes: field.boolean() };

function serve(handle: Handle, options: { singleUse?: boolean } = {}) {
  return defineServer({
    name: "rounds",
    version: "1",
    keys: [KEY],
    log: () => {},
    tools: [defineTool({ name: "run", ...options, handle: (_, ctx) => handle(ctx) })],
  });
}

const open = (handle: Handle) => connect(serve(handle));
const CALL = { name: "run" };

/** Sends one round: the call with the state of the previous round and an answer to each question. */
async function round(
  client: TestClient,
  before?: Record<string, unknown>,
  answer: object = { action: "accept", content: { yes: true } },
) {
  const asked = Object.keys((before?.inputRequests ?? {}) as object);
  const retry = before && {
    requestState: before.requestState,
    inputResponses: Object.fromEntries(asked.map((key) => [key, answer])),
  };
  return client.requestOnce("tools/call", { ...CALL, ...retry });
}

/**
 * Answers ten rounds. Sends each round as often again as `duplicates` says, at the same time, and again
 * afterwards. Returns the last result, and how many of the duplicates were refused.
 */
async function play(client: TestClient, duplicates: readonly number[]) {
  let last: Record<string, unknown> = await round(client);
  let refused = 0;
  for (const count of duplicates) {
    const before = last;
    const send = (times: number) => Promise.allSettled(Array.from({ length: times }, () => round(client, before)));
    const outcomes = [...(await send(1 + count)), ...(await send(count))];
    const results = outcomes.flatMap((outcome) => (outcome.status === "fulfilled" ? [outcome.value] : []));
    refused += outcomes.length - results.length;
    // Any of the equivalent results may reach the client.
    last = results[count % results.length] ?? before;
  }
  return { last, refused };
}

let unhandled: unknown[] = [];
const onUnhandled = (reason: unknown) => unhandled.push(reason);
beforeEach(() => {
  unhandled = [];
  process.on("unhandledRejection", onUnhandled);
});
afterEach(async () => {
  await delay(5);
  process.off("unhandledRejection", onUnhandled);
  expect(unhandled).toEqual([]);
});

describe("questions in rounds", () => {
  it("that are asked together are sent together, and each gets its own answer", async () => {
    const client = await open(async (ctx) => {
      const names = ["first", "second", "third"];
      const answers = await Promise.all(names.map((name) => ctx.ask(name, { it: field.text() }, { key: name })));
      return answers.map((answer) => (answer.action === "accept" ? answer.content.it : "")).join(",");
    });
    const first = await round(client);
    expect(Object.keys(first.inputRequests as object)).toEqual(["first", "second", "third"]);
    const inputResponses = Object.fromEntries(
      ["third", "first", "second"].map((it) => [it, { action: "accept", content: { it } }]),
    );
    const result = await client.requestOnce("tools/call", {
      ...CALL,
      requestState: first.requestState,
      inputResponses,
    });
    expect(result).toMatchObject({ resultType: "complete", content: [{ text: "first,second,third" }] });
  });

  it("in two concurrent branches replay correctly, in any order of completion", async () => {
    let run = 0;
    const client = await open(async (ctx) => {
      const slow = run++ % 2;
      const branch = async (name: string, wait: boolean) => {
        const value = await ctx.step(name, async () => {
          if (wait) await delay(3);
          return `${name}!`;
        });
        const answer = await ctx.ask("Go on?", { with: field.text() }, { key: name });
        return `${value} ${answer.action === "accept" ? answer.content.with : ""}`;
      };
      return (await Promise.all([branch("a", slow === 0), branch("b", slow === 1)])).join(" ");
    });
    let result = await client.requestOnce("tools/call", CALL);
    for (let n = 0; n < 4 && result.resultType === "input_required"; n++) {
      const keys = Object.keys(result.inputRequests as object);
      const inputResponses = Object.fromEntries(keys.map((key) => [key, { action: "accept", content: { with: key } }]));
      result = await client.requestOnce("tools/call", { ...CALL, requestState: result.requestState, inputResponses });
    }
    expect(result.resultType).toBe("complete");
    const text = (result.content as { text: string }[])[0]?.text;
    expect(text).toBe("a! a b! b");
  });

  it("may be asked in a loop", async () => {
    const client = await connect(
      serve(async (ctx) => {
        const items: string[] = [];
        for (;;) {
          const answer = await ctx.ask("Next item? Nothing to stop.", { item: field.text({ optional: true }) });
          if (answer.action !== "accept" || answer.content.item === undefined) return items;
          items.push(answer.content.item);
        }
      }),
      { answers: [{ item: "a" }, { item: "b" }, { item: "a" }, {}] },
    );
    expect((await client.call("run")).content).toMatchObject([{ text: '["a","b","a"]' }]);
  });

  it("end the call with a clear error if the handler no longer asks them", async () => {
    let run = 0;
    const client = await open(async (ctx) => {
      await ctx.ask(run++ === 0 ? "Colour?" : "Size?", YES_NO);
      return "done";
    });
    await expect(round(client, await round(client))).rejects.toMatchObject({
      code: -32602,
      message: expect.stringContaining("no longer asks a question"),
    });
  });

  it("end the call with a clear error if the handler returns without asking them again", async () => {
    let run = 0;
    const client = await open(async (ctx) => {
      if (run++ === 0) await ctx.ask("Colour?", YES_NO);
      return "wrong";
    });
    await expect(round(client, await round(client))).rejects.toMatchObject({ code: -32602 });
  });

  it("with the same message and another schema are different questions", async () => {
    let run = 0;
    const client = await open(async (ctx) => {
      await ctx.ask("How many?", { n: run++ === 0 ? field.integer({ max: 5 }) : field.integer({ max: 50 }) });
      return "done";
    });
    const first = await round(client);
    await expect(round(client, first, { action: "accept", content: { n: 3 } })).rejects.toMatchObject({ code: -32602 });
  });

  it("are answered with the user's original answer, even if the handler mutated it in an earlier run", async () => {
    const client = await open(async (ctx) => {
      const first = await ctx.ask("Which?", { picked: field.choices(["a", "b"]) });
      if (first.action === "accept") first.content.picked.push("b");
      const made = await ctx.step("make", () => ({ list: [1] }));
      made.list.push(2);
      await ctx.ask("Sure?", YES_NO);
      await ctx.ask("Really?", YES_NO);
      return JSON.stringify([first, made]);
    });
    let last = await round(client);
    last = await round(client, last, { action: "accept", content: { picked: ["a"] } });
    last = await round(client, last);
    last = await round(client, last);
    const text = JSON.stringify([{ action: "accept", content: { picked: ["a", "b"] } }, { list: [1, 2] }]);
    expect(last).toMatchObject({ resultType: "complete", content: [{ text }] });
  });

  it("use the current choices of a schema that the author mutates", async () => {
    const choices = ["a"];
    const schema = {
      type: "object",
      properties: { it: { type: "string", enum: choices } },
      required: ["it"],
    } as const;
    const client = await open(async (ctx) => ctx.ask("Which?", schema));
    expect(JSON.stringify(await round(client))).toContain('"enum":["a"]');
    choices.push("b");
    expect(JSON.stringify(await round(client))).toContain('"enum":["a","b"]');
  });

  it("without a key are not answered by responses that were sent before them", async () => {
    const client = await open(async (ctx) => (await ctx.ask("Go?", YES_NO)).action);
    const answer = { action: "accept", content: { yes: true } };
    const inputResponses = { "": answer, undefined: answer, question_1: answer };
    const first = await client.requestOnce("tools/call", { ...CALL, inputResponses });
    expect(first).toMatchObject({ resultType: "input_required" });
  });

  it("may have any key", async () => {
    const key = 'tab\t, line\n, "quote" and __proto__';
    const client = await open(async (ctx) => (await ctx.ask("Go?", YES_NO, { key })).action);
    const first = await round(client);
    expect(Object.keys(first.inputRequests as object)).toEqual([key]);
    expect(await round(client, first)).toMatchObject({ content: [{ text: "accept" }] });
  });

  it("do not trigger catch, finally, race or allSettled in the handler", async () => {
    const seen: string[] = [];
    const client = await open(async (ctx) => {
      try {
        await Promise.allSettled([ctx.ask("a", YES_NO)]).then(() => seen.push("settled"));
        await ctx.ask("b", YES_NO);
        return "done";
      } catch {
        seen.push("caught");
        return "caught";
      } finally {
        seen.push("finally");
      }
    });
    const first = await round(client);
    expect(seen).toEqual([]);
    const second = await round(client, first);
    expect(seen).toEqual(["settled"]);
    expect(await round(client, second)).toMatchObject({ content: [{ text: "done" }] });
    expect(seen).toEqual(["settled", "settled", "finally"]);
  });

  it("are dropped if the handler settles before the turn ends", async () => {
    const client = await open((ctx) => Promise.race([ctx.ask("a", YES_NO), Promise.resolve("quick")]));
    expect(await round(client)).toMatchObject({ resultType: "complete", content: [{ text: "quick" }] });
  });

  it("end the round before a later timer, whose effects are ignored", async () => {
    const after: string[] = [];
    let fire = () => {};
    const fired = new Promise<void>((resolve) => {
      fire = resolve;
    });
    const client = await open(async (ctx) => {
      const timer = fired.then(async () => {
        after.push("timer");
        ctx.progress(1);
        void ctx.step("late", () => after.push("step"));
        void ctx.ask("late", YES_NO).then(() => after.push("answer"));
        return "timed out";
      });
      return Promise.race([ctx.ask("a", YES_NO).then((answer) => answer.action), timer]);
    });
    const first = await client.requestOnce("tools/call", { ...CALL, _meta: { progressToken: 1 } });
    expect(first.resultType).toBe("input_required");
    fire();
    await delay(0);
    expect(after).toEqual(["timer"]);
    expect(client.notifications).toEqual([]);
    expect(await round(client, first)).toMatchObject({ content: [{ text: "accept" }] });
  });

  it("ignore a late rejection of the run that they ended", async () => {
    let fail = (_reason: Error) => {};
    const doomed = new Promise<never>((_, reject) => {
      fail = reject;
    });
    const client = await open(async (ctx) => {
      await Promise.all([ctx.ask("a", YES_NO), doomed]);
      return "never here";
    });
    const first = await round(client);
    expect(first.resultType).toBe("input_required");
    fail(new Error("too late"));
    await delay(0);
    expect(unhandled).toEqual([]);
  });

  it("abort the signal of the run that they end", async () => {
    const signals: AbortSignal[] = [];
    const client = await open(async (ctx) => {
      signals.push(ctx.signal);
      await ctx.ask("a", YES_NO);
      return "done";
    });
    const first = await round(client);
    expect(signals[0]?.aborted).toBe(true);
    await round(client, first);
    expect(signals[1]?.aborted).toBe(false);
  });
});

describe("a step", () => {
  it("runs once in ten rounds with random retries and duplicates, and each round has its result", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.nat(3), { minLength: 10, maxLength: 10 }), async (duplicates) => {
        let charged = 0;
        const client = await open(async (ctx) => {
          const receipt = await ctx.step("charge", () => ({ number: ++charged, at: new Date(0) }));
          for (let n = 0; n < 10; n++) await ctx.ask(`Question ${n}`, YES_NO);
          return receipt;
        });
        const { last } = await play(client, duplicates);
        expect(last.structuredContent).toEqual({ number: 1, at: "1970-01-01T00:00:00.000Z" });
        expect(charged).toBe(1);
      }),
      { numRuns: 20, seed: 1 },
    );
  });

  it("between two questions of a single-use tool runs once with random retries and duplicates", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.nat(3), { minLength: 10, maxLength: 10 }), async (duplicates) => {
        const charged: number[] = [];
        const server = serve(
          async (ctx) => {
            for (let n = 0; n < 10; n++) {
              await ctx.ask(`Question ${n}`, YES_NO);
              await ctx.step(`charge ${n}`, () => charged.push(n));
            }
            return "done";
          },
          { singleUse: true },
        );
        const { last, refused } = await play(await connect(server), duplicates);
        expect(last.resultType).toBe("complete");
        expect(refused).toBe(duplicates.reduce((sum, count) => sum + 2 * count, 0));
        expect(charged).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8, 9]);
      }),
      { numRuns: 20, seed: 1 },
    );
  });

  it("in flight beside a question is awaited and recorded, and does not run again", async () => {
    let runs = 0;
    const client = await open(async (ctx) => {
      const [value, answer] = await Promise.all([
        ctx.step("slow", async () => {
          runs++;
          await delay(20);
          return runs;
        }),
        ctx.ask("Sure?", YES_NO),
      ]);
      return `${value} ${answer.action}`;
    });
    const first = await round(client);
    expect(runs).toBe(1);
    expect(await round(client, first)).toMatchObject({ content: [{ text: "1 accept" }] });
    expect(runs).toBe(1);
  });

  it("that threw is not recorded and runs again", async () => {
    let runs = 0;
    const client = await open(async (ctx) => {
      const value = await ctx
        .step("flaky", () => {
          if (++runs === 1) throw new Error("not yet");
          return runs;
        })
        .catch(() => "failed");
      await ctx.ask("Sure?", YES_NO);
      return `${value}`;
    });
    const first = await round(client);
    expect(await round(client, first)).toMatchObject({ content: [{ text: "2" }] });
  });

  it("returns its result in the same form at once and from the state", async () => {
    const client = await connect(
      serve((ctx) => ctx.step("date", () => ({ at: new Date(0) })).then(({ at }) => typeof at)),
    );
    expect((await client.call("run")).content).toMatchObject([{ text: "string" }]);
    const legacy = await connect(
      serve((ctx) => ctx.step("date", () => ({ at: new Date(0) })).then(({ at }) => typeof at)),
      { revision: "2025-11-25" },
    );
    expect((await legacy.call("run")).content).toMatchObject([{ text: "string" }]);
  });
});

describe("findRepeats", () => {
  const answers = () => ({ yes: true });

  it("reports a write before the first question and one between two", async () => {
    const writes: string[] = [];
    const server = serve(async (ctx) => {
      writes.push("before");
      await ctx.ask("a", YES_NO);
      writes.push("between");
      await ctx.ask("b", YES_NO);
      writes.push("after");
      return "done";
    });
    expect(await findRepeats(server, "run", { answers, effects: () => writes })).toEqual([
      { effect: "before", rounds: [1, 2, 3] },
      { effect: "between", rounds: [2, 3] },
    ]);
  });

  it("reports no write in a step", async () => {
    const writes: string[] = [];
    const server = serve(async (ctx) => {
      await ctx.step("before", () => void writes.push("before"));
      await ctx.ask("a", YES_NO);
      await ctx.step("between", () => void writes.push("between"));
      await ctx.ask("b", YES_NO);
      return "done";
    });
    expect(await findRepeats(server, "run", { answers, effects: () => writes })).toEqual([]);
  });

  it("rejects for a tool that fails, and for one that asks nothing", async () => {
    const options = { answers, effects: () => [] };
    const strict = defineTool({
      name: "strict",
      input: { type: "object", properties: { id: { type: "number" } }, required: ["id"] },
      handle: async (_, ctx) => (await ctx.ask("a", YES_NO)).action,
    });
    const silent = defineTool({ name: "silent", handle: () => "done" });
    const server = defineServer({ name: "s", version: "1", tools: [strict, silent] });
    await expect(findRepeats(server, "strict", options)).rejects.toThrow(
      /^Tool "strict" failed: .*missing required.*Are its arguments in input\?$/,
    );
    expect(await findRepeats(server, "strict", { ...options, input: { id: 1 } })).toEqual([]);
    await expect(findRepeats(server, "silent", options)).rejects.toThrow('Tool "silent" asked nothing');
  });
});
