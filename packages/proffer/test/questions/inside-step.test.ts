import { setImmediate as turn } from "node:timers/promises";
import {
  type Context,
  definePrompt,
  defineResource,
  defineServer,
  defineTool,
  field,
  type LogEntry,
  UsageError,
} from "proffer";
import { connect, connectOver } from "proffer/testing";
import { describe, expect, it, vi } from "vitest";
import type { Call } from "../../src/calls/call.ts";
import { connectMemory } from "../../src/transports/memory.ts";
import { EVERY } from "../versions.ts";

const YES_NO = { yes: field.boolean() };
const REFUSED = 'The step "charge" asks a question or starts a step. Ask before the step and pass the answer in.';

type Handle = (ctx: Context) => unknown;

function serve(handle: Handle, timeout?: number) {
  const entries: LogEntry[] = [];
  const limit = timeout === undefined ? {} : { timeout };
  const server = defineServer({
    name: "steps",
    version: "1",
    keys: [new Uint8Array(32)],
    log: (entry) => entries.push(entry),
    tools: [
      defineTool({ name: "run", ...limit, handle: (_, ctx) => handle(ctx) }),
      defineTool({ name: "free", handle: () => "free" }),
    ],
    prompts: [definePrompt({ name: "run", get: async (_, ctx) => String(await handle(ctx)) })],
    resources: [defineResource({ uri: "run://{it}", name: "run", read: async (_, ctx) => String(await handle(ctx)) })],
  });
  return { server, errors: () => entries.map(({ error }) => error) };
}

/** Connects a client that may have one request in flight, so that a call which keeps its slot blocks the next one. */
async function connectOne(server: ReturnType<typeof serve>["server"], revision: string) {
  return connectOver((receive) => connectMemory(server, receive, { maxInFlight: 1 }), {
    revision,
    answers: ({ method }) => (method === "roots/list" ? { roots: [] } : { yes: true }),
  });
}

const MISTAKES: Record<string, Handle> = {
  "asks at once": (ctx) => ctx.step("charge", () => ctx.ask("Sure?", YES_NO)),
  "asks after an await": (ctx) =>
    ctx.step("charge", async () => {
      await turn();
      return ctx.ask("Sure?", YES_NO);
    }),
  "asks with a fallback": (ctx) =>
    ctx.step("charge", () => ctx.ask("Sure?", YES_NO, { fallback: { action: "decline" } })),
  "asks for a URL": (ctx) => ctx.step("charge", () => ctx.askUrl("Sign in", "https://example.com")),
  "asks the model": (ctx) => ctx.step("charge", async () => ctx.sample({ messages: [], maxTokens: 1 })),
  "asks for the roots": (ctx) => ctx.step("charge", async () => ctx.roots()),
  "starts a step": (ctx) => ctx.step("charge", () => ctx.step("inner", () => 1)),
  "starts a step after a question": (ctx) =>
    Promise.all([
      ctx.step("charge", async () => {
        await turn();
        await turn();
        return ctx.step("inner", () => 1);
      }),
      ctx.roots(),
    ]),
  "asks and ignores the error": async (ctx) => {
    await ctx.step("charge", () => ctx.ask("Sure?", YES_NO)).catch(() => {});
    return "ignored";
  },
  "asks in a callback and never ends": (ctx) =>
    ctx.step("charge", () => new Promise(() => setImmediate(() => void ctx.roots().catch(() => {})))),
};

describe.each(EVERY)("on %s, a step", (revision) => {
  it.each(Object.entries(MISTAKES))(
    "that %s ends the call at once with an error, and frees its slot",
    async (_, handle) => {
      const { server, errors } = serve(handle);
      const client = await connectOne(server, revision);
      expect(await client.call("run")).toMatchObject({ isError: true, content: [{ text: 'Tool "run" failed.' }] });
      expect(errors()).toEqual([expect.any(UsageError)]);
      expect(errors()[0]).toMatchObject({ code: "wrong_use", message: REFUSED });
      await expect(client.get("run")).rejects.toMatchObject({ code: -32603 });
      await expect(client.read("run://1")).rejects.toMatchObject({ code: -32603 });
      expect((await client.call("free")).content).toMatchObject([{ text: "free" }]);
    },
  );

  it("cleans up: its `finally` blocks run", async () => {
    let cleaned = false;
    const { server } = serve((ctx) =>
      ctx.step("charge", async () => {
        try {
          await ctx.roots();
        } finally {
          cleaned = true;
        }
      }),
    );
    expect(await (await connectOne(server, revision)).call("run")).toMatchObject({ isError: true });
    expect(cleaned).toBe(true);
  });

  it("may run beside a question and other steps, and work that it leaves running may ask after its end", async () => {
    const { server, errors } = serve(async (ctx) => {
      const [slow] = await Promise.all([
        ctx.step("slow", () => turn().then(() => "slow")),
        ctx.step("fast", () => "fast"),
        ctx.roots(),
      ]);
      let afterwards: Promise<unknown> = Promise.resolve();
      await ctx.step("starts", () => {
        afterwards = turn().then(() => ctx.roots("later"));
      });
      await afterwards;
      await ctx.roots("last");
      return slow;
    });
    const client = await connectOne(server, revision);
    // In the second run the step is not executed again, so the work that it left running does not ask again.
    const outcome = await client.call("run").catch((error) => error);
    if (revision === "2026-07-28") expect(outcome).toMatchObject({ code: -32602 });
    else expect(outcome).toMatchObject({ content: [{ text: "slow" }] });
    expect(errors().filter((error) => error instanceof UsageError)).toEqual([]);
  });
});

describe("a step in a runtime without async context", () => {
  it("is refused a question before its first await", async () => {
    const { getBuiltinModule } = process;
    const fresh = "../../src/questions/running-step.ts?without-async-context";
    const steps: typeof import("../../src/questions/running-step.ts") = await import(fresh);
    const interrupt = vi.fn();
    const call = { interrupt } as unknown as Call;
    process.getBuiltinModule = (() => undefined) as never;
    try {
      const step = steps.runInsideStep(call, "charge", () => steps.refuseInsideStep(call));
      await expect(step).rejects.toMatchObject({ message: REFUSED });
    } finally {
      process.getBuiltinModule = getBuiltinModule;
    }
    expect(interrupt).toHaveBeenCalledOnce();
    await steps.runInsideStep(call, "outer", () => {
      steps.refuseInsideStep({} as Call);
      return turn();
    });
    steps.refuseInsideStep(call);
    expect(interrupt).toHaveBeenCalledOnce();
  });

  it("that waits for an answer, unseen, ends the call after 10 minutes", async () => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    try {
      // A queue that started before the step runs its work outside of the step's async context.
      let push: (job: () => void) => void = () => {};
      void new Promise<() => void>((resolve) => {
        push = resolve;
      }).then((job) => job());
      const { server, errors } = serve((ctx) =>
        ctx.step("charge", () => new Promise((resolve) => push(() => void ctx.ask("Sure?", YES_NO).then(resolve)))),
      );
      const client = await connectOne(server, "2026-07-28");
      const outcome = client.call("run");
      while (vi.getTimerCount() === 0) await turn();
      vi.advanceTimersByTime(10 * 60 * 1000);
      expect(await outcome).toMatchObject({ isError: true });
      expect(errors()).toMatchObject([{ code: "wrong_use", message: expect.stringContaining("within 10 minutes") }]);
      expect((await client.call("free")).content).toMatchObject([{ text: "free" }]);
    } finally {
      vi.useRealTimers();
    }
  });
});

describe.each(EVERY)("on %s, a question", (revision) => {
  it("in a list, a completion or an existence check is refused", async () => {
    const server = defineServer({
      name: "elsewhere",
      version: "1",
      log: () => {},
      resources: [
        defineResource({
          uri: "thing://{id}",
          name: "thing",
          read: () => "",
          list: async (_page, ctx) => (await ctx.roots()) && [],
          complete: { id: async (_value, _given, ctx) => (await ctx.roots()) && [] },
          exists: async (_params, ctx) => (await ctx.roots()) && true,
        }),
      ],
    });
    const client = await connect(server, { revision, answers: () => ({ roots: [] }) });
    const ref = { type: "ref/resource", uri: "thing://{id}" };
    const argument = { name: "id", value: "" };
    const failure = { code: -32603 };
    await expect(client.request("resources/list")).rejects.toMatchObject(failure);
    await expect(client.request("completion/complete", { ref, argument })).rejects.toMatchObject(failure);
    if (revision === "2026-07-28") return;
    await expect(client.request("resources/subscribe", { uri: "thing://1" })).rejects.toMatchObject(failure);
  });
});

describe.each(EVERY)("on %s, a handler that exceeded its time limit", (revision) => {
  it.each<[string, Handle]>([
    ["asks afterwards", (ctx) => new Promise((resolve) => setTimeout(resolve, 10)).then(() => ctx.roots())],
    [
      "asks when its signal aborts",
      (ctx) => new Promise((resolve) => ctx.signal.addEventListener("abort", () => resolve(ctx.roots()))),
    ],
    [
      "asked while a step was running",
      (ctx) => Promise.all([ctx.step("slow", () => new Promise((done) => setTimeout(done, 20))), ctx.roots()]),
    ],
  ])("frees its slot if it %s", async (_, handle) => {
    const { server } = serve(handle, 5);
    const client = await connectOne(server, revision);
    await client.call("run");
    const free = () =>
      client.call("free").then(
        ({ content }) => content,
        ({ code }) => code,
      );
    await expect.poll(free, { interval: 1, timeout: 60_000 }).toMatchObject([{ text: "free" }]);
  });
});
