import { defineServer, defineTool, type LogEntry, type ServerOptions } from "proffer";
import { serveHttp, unauthorized } from "proffer/http";
import { type CallOutcome, defineObserver, type ObserverOptions, type ServerEvent } from "proffer/observe";
import { connect } from "proffer/testing";
import { describe, expect, it } from "vitest";
import { openGate } from "./gate.ts";
import { modern, openSession, postModern, send } from "./http/http-client.ts";
import { asking, throwing } from "./small-tools.ts";
import { EVERY } from "./versions.ts";

function serve({
  observe,
  ...options
}: Partial<Omit<ServerOptions, "observe">> & { observe: ObserverOptions | readonly ObserverOptions[] }) {
  return defineServer({
    name: "s",
    version: "1",
    log: () => {},
    tools: [
      defineTool({ name: "echo", handle: () => "echo" }),
      defineTool({ name: "later", handle: async () => "later" }),
      defineTool({ name: "adds", input: { type: "object", required: ["a"] }, handle: () => "" }),
      throwing,
      asking,
    ],
    ...options,
    observe: [observe].flat().map(defineObserver),
  });
}

type Ended = Partial<CallOutcome> & { readonly what: string };

/** Records the end of each call. */
function recorder(): { readonly observer: ObserverOptions; readonly ended: Ended[] } {
  const ended: Ended[] = [];
  const observer: ObserverOptions = {
    end: ({ method, name }, outcome) => void ended.push({ what: name ?? method, ...outcome }),
  };
  return { observer, ended };
}

describe.each(EVERY)("an observer on %s", (revision) => {
  it("sees each call once with its outcome, refusals too", async () => {
    const { observer, ended } = recorder();
    const client = await connect(serve({ observe: observer }), { revision, answers: [{ sure: true }] });
    ended.length = 0;
    await client.call("echo");
    await client.call("later");
    await client.call("adds", {});
    await client.call("throws");
    await client.call("nothing").catch(() => {});
    await client.request("no/such").catch(() => {});
    await client.listTools();
    const seen = ended.map(({ what, failed, code }) => [what, failed, code]);
    expect(seen).toEqual([
      ["echo", false, undefined],
      ["later", false, undefined],
      ["adds", true, undefined],
      ["throws", true, undefined],
      ["nothing", true, -32602],
      ["no/such", true, -32601],
      ["tools/list", false, undefined],
    ]);
    for (const { milliseconds, bytes, asks, cancelled } of ended) {
      expect({ asks, cancelled }).toEqual({ asks: false, cancelled: false });
      expect(milliseconds).toBeGreaterThanOrEqual(0);
      expect(bytes).toBeGreaterThan(20);
    }
    expect(ended[4]?.message).toContain("nothing");
  });
});

describe("an observer", () => {
  it("counts the bytes of the response in UTF-8", async () => {
    const { observer, ended } = recorder();
    const tools = [defineTool({ name: "umlaut", handle: () => "ä".repeat(100) })];
    const client = await connect(serve({ observe: observer, tools }));
    await client.call("umlaut");
    const response = client.transcript.messages("server").at(-1) ?? "";
    expect(ended.at(-1)?.bytes).toBe(Buffer.byteLength(response));
  });

  it("sees a question as the outcome of a round, with the same chain", async () => {
    const seen: unknown[] = [];
    const observe: ObserverOptions = {
      end: ({ name, chain, round }, { asks, failed }) => void (name && seen.push({ chain, round, asks, failed })),
    };
    const client = await connect(serve({ observe }), { answers: [{ sure: true }] });
    await client.call("asks");
    const { chain } = seen[0] as { chain: string };
    expect(seen).toEqual([
      { chain, round: 0, asks: true, failed: false },
      { chain, round: 1, asks: false, failed: false },
    ]);
  });

  it("sees a state that is refused", async () => {
    const { observer, ended } = recorder();
    const client = await connect(serve({ observe: observer }));
    await client.request("tools/call", { name: "asks", requestState: "forged" }).catch(() => {});
    expect(ended.at(-1)).toMatchObject({ what: "asks", code: -32602, failed: true });
  });

  it("sees a cancelled call once, although its handler continues", async () => {
    const { observer, ended } = recorder();
    const gate = openGate();
    let waiting = false;
    const handle = () => {
      waiting = true;
      return gate.opened.then(() => "late");
    };
    const tools = [defineTool({ name: "waits", handle })];
    const client = await connect(serve({ observe: observer, tools }));
    const abort = new AbortController();
    const call = client.call("waits", {}, { signal: abort.signal }).catch(() => {});
    await expect.poll(() => waiting).toBe(true);
    abort.abort();
    await call;
    await expect.poll(() => ended.at(-1)).toMatchObject({ what: "waits", cancelled: true, bytes: 0, failed: false });
    gate.open();
    await client.listTools();
    expect(ended.filter(({ what }) => what === "waits")).toHaveLength(1);
  });

  it("begins before middleware, the first one outermost, with the same call as at the end", async () => {
    const seen: string[] = [];
    const calls = new Set<object>();
    const watch = (name: string): ObserverOptions => ({
      begin: (call, work) => {
        if (call.method !== "tools/call") return work();
        calls.add(call);
        seen.push(`${name} begin`);
        const outcome = work();
        seen.push(`${name} began`);
        return outcome;
      },
      end: (call) => {
        if (call.method !== "tools/call") return;
        calls.add(call);
        seen.push(`${name} end`);
      },
    });
    const server = serve({
      observe: [watch("a"), watch("b")],
      middleware: (call, next) => {
        if (call.method === "tools/call") {
          calls.add(call);
          seen.push("middleware");
        }
        return next();
      },
    });
    await (await connect(server)).call("echo");
    expect(seen).toEqual(["a begin", "b begin", "middleware", "b began", "a began", "a end", "b end"]);
    expect(calls.size).toBe(1);
  });

  it("may run the work in a context of its own", async () => {
    let depth = 0;
    const depths: number[] = [];
    const observe: ObserverOptions = {
      begin: (_call, work) => {
        depth++;
        try {
          return work();
        } finally {
          depth--;
        }
      },
    };
    const tools = [defineTool({ name: "t", handle: () => void depths.push(depth) })];
    await (await connect(serve({ observe, tools }))).call("t");
    expect(depths).toEqual([1]);
  });

  it.each<[string, ObserverOptions["begin"]]>([
    ["throws before the work", () => thrown()],
    ["throws after the work", (_call, work) => [work(), thrown()]],
    ["runs the work twice", (_call, work) => [work(), work()][1]],
    ["returns another result", (_call, work) => [work(), { content: [{ type: "text", text: "changed" }] }][1]],
    ["never runs the work", () => undefined],
    ["is asynchronous", async (_call, work) => await work()],
    ["runs the work later", async (_call, work) => Promise.resolve().then(work)],
  ])("changes nothing if it %s", async (_how, begin) => {
    let runs = 0;
    const tools = [
      defineTool({ name: "echo", handle: () => `run ${++runs}` }),
      defineTool({ name: "later", handle: async () => `run ${++runs}` }),
    ];
    const { observer, ended } = recorder();
    const client = await connect(serve({ tools, observe: [{ begin: begin as never }, observer] }));
    for (const [at, name] of ["echo", "later"].entries()) {
      expect(await client.call(name)).toMatchObject({ content: [{ text: `run ${at + 1}` }] });
    }
    expect(await client.call("nothing").catch(({ code }) => code)).toBe(-32602);
    expect(ended.map(({ what, failed }) => [what, failed]).slice(-3)).toEqual([
      ["echo", false],
      ["later", false],
      ["nothing", true],
    ]);
  });

  it("does not take the exception of a handler for its own", async () => {
    const logged: LogEntry[] = [];
    const begins: ObserverOptions["begin"][] = [(_call, work) => work(), async (_call, work) => await work()];
    for (const begin of begins) {
      const client = await connect(serve({ observe: { begin: begin as never }, log: (entry) => logged.push(entry) }));
      await client.call("nothing").catch(() => {});
      await client.read("s://nothing").catch(() => {});
    }
    await new Promise(setImmediate);
    expect(logged).toEqual([]);
  });

  it("adds details to the log entries of a call, which keep their own", async () => {
    const logged: LogEntry[] = [];
    const observe: ObserverOptions = {
      logDetails: (call) => ({ trace_id: call?.name ?? "none", message: "replaced" }),
    };
    const client = await connect(serve({ observe, log: (entry) => logged.push(entry) }));
    await client.call("throws");
    expect(logged).toMatchObject([{ message: 'tool "throws" threw', trace_id: "throws" }]);
  });

  it.each([null, "x", {}, { end: 42 }, { end() {}, begin: "x" }])("must have functions: %j", (options) => {
    expect(() => defineObserver(options as never)).toThrow(/needs at least one of the functions begin, end/);
  });

  it.each([null, "x", {}, [{ end() {} }], [undefined]])("must be defined before it is used: %j", (observe) => {
    expect(() => defineServer({ name: "s", version: "1", observe: observe as never })).toThrow(
      'Server "s": observe must be created by defineObserver(), or a list of such observers.',
    );
  });

  it("is optional: an empty list observes nothing", async () => {
    const client = await connect(serve({ observe: [] }));
    expect(await client.call("echo")).toMatchObject({ content: [{ text: "echo" }] });
  });
});

describe("an observer of requests to the client", () => {
  it("adds to their _meta, and learns how each ended", async () => {
    const ended: unknown[] = [];
    const observe: ObserverOptions[] = [
      {
        request: (call, method) => ({
          meta: { traceparent: `${call.name} ${method}` },
          end: (code, cancelled) => void ended.push([code, cancelled]),
        }),
      },
      { request: () => thrown() },
    ];
    const client = await connect(serve({ observe }), { revision: "2025-11-25", answers: [{ sure: true }] });
    expect(await client.call("asks")).toMatchObject({ content: [{ text: "accept" }] });
    const messages = client.transcript.messages("server").map((text) => JSON.parse(text));
    expect(messages.filter(({ method }) => method !== undefined)).toMatchObject([
      {
        method: "elicitation/create",
        params: { message: "Sure?", _meta: { traceparent: "asks elicitation/create" } },
      },
    ]);
    expect(ended).toEqual([[undefined, false]]);
  });

  it("learns that a request was not answered when its call is cancelled", async () => {
    const ended: unknown[] = [];
    let asked = false;
    const observe: ObserverOptions = {
      request: () => {
        asked = true;
        return { end: (code, cancelled) => void ended.push([code, cancelled]) };
      },
    };
    const answers = () => new Promise<never>(() => {});
    const client = await connect(serve({ observe }), { revision: "2025-11-25", answers });
    const abort = new AbortController();
    const call = client.call("asks", {}, { signal: abort.signal }).catch(() => {});
    await expect.poll(() => asked).toBe(true);
    abort.abort();
    await call;
    await expect.poll(() => ended).toEqual([[undefined, true]]);
  });
});

describe("the events of a server", () => {
  it("are its sessions, streams and refused callers", async () => {
    const events: ServerEvent[] = [];
    const server = serve({ observe: [{ event: () => thrown() }, { event: (event) => void events.push(event) }] });
    const authenticate = (request: { header(name: string): string | undefined }) =>
      request.header("authorization") === undefined ? unauthorized() : { id: "ada" };
    const service = await serveHttp(server, { port: 0, authenticate });
    expect((await postModern(service.url, modern("tools/list"))).status).toBe(401);
    const credentials = { authorization: "Bearer x" };
    const headers = await openSession(service.url, "2025-11-25", credentials);
    const abort = new AbortController();
    const stream = await fetch(service.url, {
      headers: { ...(headers as Record<string, string>), accept: "text/event-stream" },
      signal: abort.signal,
    });
    expect(stream.status).toBe(200);
    abort.abort();
    await expect.poll(() => events.some(({ type }) => type === "stream_closed")).toBe(true);
    await send(service.url, { method: "DELETE", headers });
    await service.close();
    const known = { revision: "2025-11-25", transport: "http" };
    expect(events).toEqual([
      { type: "auth_refused", status: 401 },
      { type: "session_opened", ...known },
      { type: "stream_opened" },
      { type: "stream_closed" },
      { type: "session_closed", ...known, milliseconds: expect.any(Number) },
    ]);
  });

  it("include the session of a kept connection", async () => {
    const events: ServerEvent[] = [];
    const server = serve({ observe: { event: (event) => void events.push(event) } });
    const client = await connect(server, { revision: "2025-06-18" });
    await client.close();
    expect(events.map(({ type }) => type)).toEqual(["session_opened", "session_closed"]);
  });
});

function thrown(): never {
  throw new Error("of the observer");
}
