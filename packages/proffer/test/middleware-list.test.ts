import {
  Busy,
  defineResource,
  defineServer,
  defineTool,
  field,
  type Middleware,
  type MiddlewareCall,
  type ServerOptions,
} from "proffer";
import { type HttpService, serveHttp } from "proffer/http";
import { connect } from "proffer/testing";
import { afterEach, describe, expect, it } from "vitest";
import { legacy, modern, openSession, post, postModern } from "./http/http-client.ts";
import { throwing } from "./small-tools.ts";

function serve(middleware: ServerOptions["middleware"], log: ServerOptions["log"] = () => {}) {
  return defineServer({
    name: "s",
    version: "1",
    ...(middleware !== undefined && { middleware }),
    log,
    tools: [
      defineTool({ name: "echo", annotations: { readOnlyHint: true }, handle: () => "echo" }),
      throwing,
      defineTool({
        name: "asks",
        handle: async (_input, ctx) => {
          await ctx.ask("One?", { sure: field.boolean() });
          await ctx.ask("Two?", { sure: field.boolean() });
          return "done";
        },
      }),
    ],
    resources: [
      defineResource({ uri: "s://fixed", name: "Fixed", content: "fixed" }),
      defineResource({ uri: "s://orders/{id}", name: "Order", read: ({ id }) => id, complete: { id: ["1"] } }),
    ],
  });
}

/** Passes tools/call to the middleware, and everything else on. */
function onCalls(middleware: Middleware): Middleware {
  return (call, next) => (call.method === "tools/call" ? middleware(call, next) : next());
}

describe("a list of middleware", () => {
  it("runs the first one outermost", async () => {
    const seen: string[] = [];
    const layer = (name: string) =>
      onCalls(async (_call, next) => {
        seen.push(`${name} before`);
        const result = await next();
        seen.push(`${name} after`);
        return result;
      });
    const client = await connect(serve([layer("a"), layer("b"), layer("c")]));
    await client.call("echo");
    expect(seen).toEqual(["a before", "b before", "c before", "c after", "b after", "a after"]);
  });

  it("passes the changes of an inner one to the outer ones", async () => {
    const add = (text: string) =>
      onCalls(async (_call, next) => {
        const { content } = (await next()) as { content: object[] };
        return { content: [...content, { type: "text", text }] };
      });
    const client = await connect(serve([add("outer"), add("inner")]));
    expect(await client.call("echo")).toMatchObject({
      content: [{ text: "echo" }, { text: "inner" }, { text: "outer" }],
    });
  });

  it("sees the exception of the handler in every layer, and the client the neutral result", async () => {
    const seen: unknown[] = [];
    const look = onCalls(async (_call, next) => {
      try {
        return await next();
      } catch (error) {
        seen.push((error as Error).message);
        throw error;
      }
    });
    const client = await connect(serve([look, look]));
    expect(await client.call("throws")).toMatchObject({ isError: true, content: [{ text: 'Tool "throws" failed.' }] });
    expect(seen).toEqual(["inside", "inside"]);
  });

  it("is no middleware if it is empty", async () => {
    const client = await connect(serve([]));
    expect(await client.call("echo")).toMatchObject({ content: [{ text: "echo" }] });
  });

  it.each([null, "audit", [undefined], [{}]])("must consist of functions, not %j", (middleware) => {
    expect(() => serve(middleware as never)).toThrow(
      'Server "s": middleware must be a function or a list of functions, not ',
    );
  });
});

describe("next", () => {
  it.each([
    ["one after the other", (next: () => Promise<object>) => next().then(next)],
    ["at once", async (next: () => Promise<object>) => (await Promise.all([next(), next()]))[0]],
    [
      "without waiting for the second",
      async (next: () => Promise<object>) => {
        const first = next();
        void next();
        return first;
      },
    ],
  ])("may not be called twice, %s", async (_how, twice) => {
    const errors: unknown[] = [];
    let runs = 0;
    const count = onCalls((_call, next) => {
      runs++;
      return next();
    });
    const server = serve([onCalls((_call, next) => twice(next)), count], ({ error }) => errors.push(error));
    const client = await connect(server);
    await expect(client.call("echo")).rejects.toMatchObject({ code: -32603 });
    expect(runs).toBe(1);
    expect(errors).toMatchObject([
      { name: "UsageError", message: expect.stringContaining('called next() twice for tools/call "echo"') },
    ]);
  });
});

describe("the call that middleware sees", () => {
  it("has the item as it was defined, or undefined", async () => {
    const items: unknown[] = [];
    const server = serve((call, next) => {
      items.push(call.item?.name);
      return next();
    });
    const client = await connect(server);
    items.length = 0;
    await client.call("echo");
    await client.call("nothing").catch(() => {});
    await client.read("s://fixed");
    await client.read("s://orders/7");
    await client.read("s://nowhere").catch(() => {});
    await client.request("completion/complete", {
      ref: { type: "ref/resource", uri: "s://orders/{id}" },
      argument: { name: "id", value: "" },
    });
    await client.listTools();
    expect(items).toEqual(["echo", undefined, "Fixed", "Order", undefined, "Order", undefined]);
  });

  it("has the annotations of the item", async () => {
    let item: MiddlewareCall["item"];
    const client = await connect(
      serve((call, next) => {
        item = call.item;
        return next();
      }),
    );
    await client.call("echo");
    expect(item).toMatchObject({ name: "echo", annotations: { readOnlyHint: true } });
  });

  it("has the same chain in all rounds of a call, with the number of the round", async () => {
    const seen: { chain: string; round: number }[] = [];
    const server = serve(
      onCalls(({ chain, round }, next) => {
        seen.push({ chain, round });
        return next();
      }),
    );
    const client = await connect(server, { answers: [{ sure: true }, { sure: true }] });
    await client.call("asks");
    await client.call("echo");
    const [first, , , other] = seen;
    expect(seen.map(({ round }) => round)).toEqual([0, 1, 2, 0]);
    expect(new Set(seen.slice(0, 3).map(({ chain }) => chain))).toEqual(new Set([first?.chain]));
    expect(other?.chain).not.toBe(first?.chain);
    expect(client.transcript.toString()).not.toContain(first?.chain);
  });

  it("keeps the chain if only a later round reads it", async () => {
    const seen: string[] = [];
    const server = serve(
      onCalls((call, next) => {
        if (call.round > 0) seen.push(call.chain);
        return next();
      }),
    );
    const client = await connect(server, { answers: [{ sure: true }, { sure: true }] });
    await client.call("asks");
    expect(seen).toHaveLength(2);
    expect(seen[0]).toBe(seen[1]);
  });

  it("is one round on revisions that keep the request open", async () => {
    const rounds: number[] = [];
    const server = serve(
      onCalls(({ round }, next) => {
        rounds.push(round);
        return next();
      }),
    );
    const client = await connect(server, { revision: "2025-11-25", answers: [{ sure: true }, { sure: true }] });
    await client.call("asks");
    expect(rounds).toEqual([0]);
  });

  it("names its transport", async () => {
    const seen: string[] = [];
    const server = serve((call, next) => {
      seen.push(call.transport);
      return next();
    });
    await (await connect(server)).call("echo");
    const service = await serveHttp(server, { port: 0 });
    await postModern(service.url, modern("tools/list"));
    await service.close();
    expect(seen).toEqual(["memory", "memory", "http"]);
  });
});

describe("Busy", () => {
  let service: HttpService;
  afterEach(() => service.close());

  it.each([
    [undefined, 1],
    [0.2, 1],
    [1.2, 2],
    [30, 30],
    [-5, 1],
    [Number.NaN, 1],
    [1e9, 86_400],
    [Number.POSITIVE_INFINITY, 86_400],
  ])("with %s seconds is 429 with Retry-After %s over HTTP, and the error busy", async (seconds, header) => {
    const server = serve(
      onCalls(() => {
        throw new Busy("Too many calls.", seconds);
      }),
    );
    service = await serveHttp(server, { port: 0 });
    const { status, headers, json } = await postModern(service.url, modern("tools/call", { name: "echo" }));
    expect({ status, retry: headers["retry-after"] }).toEqual({ status: 429, retry: String(header) });
    expect(json.error).toEqual({ code: -31000, message: "Too many calls.", data: { retryAfter: header } });
  });

  it("is 429 on older revisions too, and may be thrown by a tool", async () => {
    const handle = () => {
      throw new Busy("Too many calls.", 5);
    };
    const server = defineServer({ name: "s", version: "1", tools: [defineTool({ name: "t", handle })] });
    service = await serveHttp(server, { port: 0 });
    const headers = await openSession(service.url);
    const answer = await post(service.url, legacy("tools/call", { name: "t" }, 7), headers);
    expect(answer).toMatchObject({ status: 429, json: { id: 7, error: { code: -31000 } } });
    expect(answer.headers["retry-after"]).toBe("5");
  });
});
